#if WebP
import Foundation
import ImageFormats
import Raster
import Testing

/// Real files that nobody here wrote, where TESSERA_CORPUS says they are.
enum WebPCorpus {
    static let folder = ProcessInfo.processInfo.environment["TESSERA_CORPUS"]

    static func files(_ kind: String) -> [String] {
        guard let folder else { return [] }
        let path = "\(folder)/\(kind)/webp"
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted().map { "\(path)/\($0)" }
    }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
}

@Suite("WebP corpus", .enabled(if: WebPCorpus.folder != nil, "TESSERA_CORPUS is not set"))
struct WebPCorpusTests {
    @Test(
        "every valid file decodes to Pillow's pixels", .enabled(if: WebPTools.hasPillow),
        arguments: WebPCorpus.files("valid"))
    func pillow(path: String) throws {
        let file = try WebPCorpus.bytes(path)
        let session = WebPSession(file)
        #expect(session.isComplete && session.error == nil, "\(String(describing: session.error))")
        let seen = try #require(try WebPTools.pillow(file).first)
        let bitmap = try #require(session.bitmap)
        // Pillow leaves alpha out where the file doesn't announce any.
        let showsAlpha = !(file[12..<16].elementsEqual("VP8X".utf8) && file[20] & 0x10 == 0)
        let ours = bitmap.tightBytes().enumerated().map { $0.offset % 4 == 3 && !showsAlpha ? 255 : $0.element }
        #expect(ours == seen)
    }

    @Test(
        "every valid file decodes to dwebp's pixels", .enabled(if: WebPTools.areInstalled),
        arguments: WebPCorpus.files("valid"))
    func dwebp(path: String) throws {
        let file = try WebPCorpus.bytes(path)
        let header = try #require(WebPSession(file).header)
        guard header.sequence != nil else {
            #expect(try WebPSession(file).bitmap?.tightBytes() == WebPTools.decode(file)?.rgba)
            return
        }
        let session = WebPAnimationSession(file)
        #expect(session.error == nil && session.frames.count == session.header?.sequence?.count)
        for (index, bitmap) in session.bitmaps.enumerated() {
            #expect(try bitmap?.tightBytes() == WebPTools.frame(index, of: file)?.rgba)
        }
    }

    @Test(
        "every composed frame agrees with libwebp's", .enabled(if: WebPTools.hasPillow),
        arguments: WebPCorpus.files("valid"))
    func composed(path: String) throws {
        let file = try WebPCorpus.bytes(path)
        guard WebPSession(file).header?.sequence != nil else { return }
        let showsAlpha = file[20] & 0x10 != 0
        let source = try AnimatedImageSource(file, options: DecodingOptions(color: .asStored))
        let seen = try WebPTools.pillow(file)
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

    @Test("every valid file gives the same for any split", arguments: WebPCorpus.files("valid"))
    func splits(path: String) throws {
        let file = try WebPCorpus.bytes(path)
        let whole = WebPSession(file)
        var random = SeededGenerator(UInt64(file.count))
        for most in [file.count < 5000 ? 1 : 100, 4000] {
            let splits = WebPFixture.splits(file.count, most: most, &random)
            let session = WebPSession(file, splits: splits, rowCount: 16)
            #expect(session.bitmap?.tightBytes() == whole.bitmap?.tightBytes())
            #expect(session.header == whole.header)
            #expect(session.error == nil)
        }
    }

    @Test("every valid file survives being written", arguments: WebPCorpus.files("valid"))
    func rewriting(path: String) throws {
        let bitmap = try #require(WebPSession(try WebPCorpus.bytes(path)).bitmap)
        let file = try WebPFixture.encode(bitmap, EncodingOptions(isLossless: true))
        let again = try #require(WebPSession(file).bitmap)
        #expect(again.tightBytes() == bitmap.tightBytes())
    }

    @Test("every invalid file gives an error or a picture", arguments: WebPCorpus.files("invalid"))
    func invalid(path: String) throws {
        let file = try WebPCorpus.bytes(path)
        let session = WebPSession(file)
        #expect(session.isComplete || session.error != nil)
        let split = WebPSession(file, splits: Array(1..<file.count))
        #expect(split.rows == session.rows && split.error?.code == session.error?.code)
        let animation = WebPAnimationSession(file)
        #expect(animation.error != nil || !animation.frames.isEmpty)
    }
}
#endif
