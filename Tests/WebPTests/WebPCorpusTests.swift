#if WebP
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("WebP corpus", .needsCorpus)
struct WebPCorpusTests {
    @Test(
        "Every valid file decodes to Pillow's pixels", .needsPillow,
        arguments: Corpus.files("valid/webp"))
    func pillow(path: String) throws {
        let file = try Corpus.bytes(path)
        let session = DecoderSession(webP: file)
        #expect(session.isComplete && session.error == nil, "\(String(describing: session.error))")
        let seen = try #require(try Pillow.picture(file)).samples
        let bitmap = try #require(session.bitmap)
        // Pillow leaves alpha out where the file doesn't announce any.
        let showsAlpha = !(file[12..<16].elementsEqual("VP8X".utf8) && file[20] & 0x10 == 0)
        let ours = bitmap.tightBytes().enumerated().map { $0.offset % 4 == 3 && !showsAlpha ? 255 : $0.element }
        #expect(ours == seen)
    }

    @Test(
        "Every valid file decodes to dwebp's pixels", .enabled(if: WebPTools.areInstalled),
        arguments: Corpus.files("valid/webp"))
    func dwebp(path: String) throws {
        let file = try Corpus.bytes(path)
        let header = try #require(DecoderSession(webP: file).header)
        guard header.sequence != nil else {
            #expect(try DecoderSession(webP: file).bitmap?.tightBytes() == WebPTools.decode(file)?.rgba)
            return
        }
        let session = WebPAnimationSession(file)
        #expect(session.error == nil && session.frames.count == session.header?.sequence?.count)
        for (index, bitmap) in session.bitmaps.enumerated() {
            #expect(try bitmap?.tightBytes() == WebPTools.frame(index, of: file)?.rgba)
        }
    }

    @Test(
        "Every composed frame agrees with libwebp's", .needsPillow,
        arguments: Corpus.files("valid/webp"))
    func composed(path: String) throws {
        let file = try Corpus.bytes(path)
        guard DecoderSession(webP: file).header?.sequence != nil else { return }
        let showsAlpha = file[20] & 0x10 != 0
        let source = try AnimatedImageSource(file, options: DecodingOptions(color: .asStored))
        let seen = try #require(try Pillow.frames(file)).map(\.samples)
        #expect(source.frames.count == seen.count)
        for (index, theirs) in seen.enumerated() {
            let ours = try source.frame(at: index).tightBytes()
            var worst = 0
            for pixel in 0..<(theirs.count / 4) {
                let (a, b) = (4 * pixel, 4 * pixel + 3)
                // What is seen: libwebp divides by a rounded alpha, which makes much of little in faint pixels.
                let (oursAlpha, theirAlpha) = (Int(ours[b]), showsAlpha ? Int(theirs[b]) : Int(ours[b]))
                worst = max(worst, abs(oursAlpha - theirAlpha))
                for channel in a..<b {
                    worst = max(worst, abs(Int(ours[channel]) * oursAlpha - Int(theirs[channel]) * theirAlpha) / 255)
                }
            }
            #expect(worst <= 1, "frame \(index)")
        }
    }

    @Test("Every valid file decodes the same for any split of its bytes", arguments: Corpus.files("valid/webp"))
    func splits(path: String) throws {
        let file = try Corpus.bytes(path)
        let whole = DecoderSession(webP: file)
        var random = SeededGenerator(UInt64(file.count))
        for most in [file.count < 5000 ? 1 : 100, 4000] {
            let splits = DecoderSession.splits(of: file.count, upTo: most, using: &random)
            let session = DecoderSession(webP: file, splits: splits, rowCount: 16)
            #expect(session.bitmap?.tightBytes() == whole.bitmap?.tightBytes())
            #expect(session.header == whole.header)
            #expect(session.error == nil)
        }
    }

    @Test("Every valid file can be written and read back", arguments: Corpus.files("valid/webp"))
    func rewriting(path: String) throws {
        let bitmap = try #require(DecoderSession(webP: try Corpus.bytes(path)).bitmap)
        let file = try WebPFixture.encode(bitmap, EncodingOptions(isLossless: true))
        let again = try #require(DecoderSession(webP: file).bitmap)
        #expect(again.tightBytes() == bitmap.tightBytes())
    }

    @Test("Every invalid file gives an error or an image", arguments: Corpus.files("invalid/webp"))
    func invalid(path: String) throws {
        let file = try Corpus.bytes(path)
        let session = DecoderSession(webP: file)
        #expect(session.isComplete || session.error != nil)
        let split = DecoderSession(webP: file, splits: Array(1..<file.count))
        #expect(split.rows == session.rows && split.error?.code == session.error?.code)
        let animation = WebPAnimationSession(file)
        #expect(animation.error != nil || !animation.frames.isEmpty)
    }
}
#endif
