import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("JPEG corpus", .needsCorpus)
struct JPEGCorpusTests {
    @Test("Every valid file decodes to djpeg's pixels", arguments: Corpus.files("valid/jpeg"))
    func valid(path: String) throws {
        let file = try Corpus.bytes(path)
        let session = DecoderSession(JPEGCodec(), file)
        #expect(session.isComplete && session.error == nil, "\(String(describing: session.error))")
        // Inks are beyond djpeg, and Debian's is built for 8 bits.
        guard DJPEG.tool.isInstalled, let header = session.header, header.colorModel != .cmyk,
            header.bitsPerChannel == 8
        else { return }
        let expected = try #require(try DJPEG.decode(file))
        #expect(session.bitmap?.size == expected.size)
        #expect(session.bitmap?.pnmSamples == expected.samples)
    }

    @Test("Every valid file decodes the same for any split of its bytes", arguments: Corpus.files("valid/jpeg"))
    func splits(path: String) throws {
        let file = try Corpus.bytes(path)
        let whole = DecoderSession(JPEGCodec(), file)
        let expected = whole.bitmap?.tightBytes()
        for round in 0..<(file.count < 30000 ? 6 : 2) {
            let splits = DecoderSession.splits(of: file.count, round: round)
            let session = DecoderSession(JPEGCodec(), file, splits: splits, delivery: round % 2 == 0 ? .last : .every)
            #expect(session.bitmap?.tightBytes() == expected)
            #expect(session.header == whole.header)
            #expect(session.error?.code == whole.error?.code)
        }
    }

    @Test("Every invalid file gives an error or an image", arguments: Corpus.files("invalid/jpeg"))
    func invalid(path: String) throws {
        let file = try Corpus.bytes(path)
        let session = DecoderSession(JPEGCodec(), file)
        #expect(session.isComplete || session.error != nil)
        let pieces = Array(stride(from: 100, to: file.count, by: 100))
        let split = DecoderSession(JPEGCodec(), file, splits: pieces)
        #expect(session.rows == split.rows)
        #expect(session.bitmap?.tightBytes() == split.bitmap?.tightBytes())
        #expect(session.error?.code == split.error?.code)
    }

    @Test("Truncated files keep their rows")
    func truncated() throws {
        for (name, rows) in [("libvips__truncated.jpg", 192), ("wuffs__peacock.default.truncated.jpeg", 32)] {
            let path = try #require(Corpus.files("invalid/jpeg").first { $0.hasSuffix(name) })
            let session = DecoderSession(JPEGCodec(), try Corpus.bytes(path))
            #expect(session.rows == rows)
            #expect(session.error?.code == .truncated)
        }
    }

    // The first file's profile is one for inks, on a picture of RGB: of no use, and left aside.
    @Test(
        "Profiles, orientations and other metadata are found",
        arguments: [
            ("cantaloupe__jpg-icc-chunked.jpg", Orientation.up, 0), ("exiforient__Landscape_6.jpg", .right, 0),
            ("exiforient__Landscape_7.jpg", .rightMirrored, 0),
            ("libavif__paris_exif_orientation_5.jpg", .leftMirrored, 0),
            ("kimaging__pizza-cmyk8-usswop.jpg", .up, 557_220), ("kimaging__orientation_0.jpg", .up, 0),
        ])
    func metadata(name: String, orientation: Orientation, profileByteCount: Int) throws {
        let path = try #require(Corpus.files("valid/jpeg").first { $0.hasSuffix(name) })
        let header = try #require(DecoderSession(JPEGCodec(), try Corpus.bytes(path)).header)
        #expect(header.metadata.orientation == orientation)
        if case .icc(let profile) = header.profile {
            #expect(profile.count == profileByteCount)
        } else {
            #expect(profileByteCount == 0)
        }
    }
}
