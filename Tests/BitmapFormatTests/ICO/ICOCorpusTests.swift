import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Real files that nobody here wrote.
@Suite("ICO corpus", .needsCorpus)
struct ICOCorpusTests {
    private static func codec(_ path: String) -> ICOCodec { ICOCodec(path.hasSuffix(".cur") ? .cur : .ico) }

    @Test(
        "Every image of every valid file decodes to Pillow's pixels",
        arguments: Corpus.files("valid/ico", "valid/cur"))
    func valid(path: String) throws {
        let file = try Corpus.bytes(path)
        let codec = Self.codec(path)
        let header = try #require(DecoderSession(codec, file).header)
        for index in 0..<(header.sequence?.count ?? 1) {
            let options = DecodingOptions(color: .asStored, imageIndex: index)
            let session = DecoderSession(codec, file, options: options)
            #expect(session.isComplete && session.error == nil, "\(String(describing: session.error))")
        }
        let session = DecoderSession(codec, file)
        for round in 0..<3 {
            let split = DecoderSession(codec, file, splits: DecoderSession.splits(of: file.count, round: round))
            #expect(split.bitmap?.tightBytes() == session.bitmap?.tightBytes())
            #expect(split.header == session.header)
        }
        guard Pillow.isInstalled else { return }
        guard let expected = try Pillow.picture(file) else {
            print("not compared with Pillow, which refuses it: \(path)")
            return
        }
        #expect(session.bitmap?.size == expected.size)
        if path.hasSuffix("two-entry-order-test.ico") {
            // Two that are equal in size and depth: Pillow takes the last, Windows the first.
            let last = DecoderSession(codec, file, options: DecodingOptions(color: .asStored, imageIndex: 1))
            #expect(last.bitmap?.tightBytes() == expected.samples)
            return
        }
        if path.hasSuffix(".cur") {
            // Pillow leaves a cursor's mask aside.
            let colors = { (bytes: [UInt8]?) in bytes?.enumerated().filter { $0.offset % 4 != 3 }.map(\.element) }
            #expect(colors(session.bitmap?.tightBytes()) == colors(expected.samples))
            return
        }
        #expect(session.bitmap?.tightBytes() == expected.samples)
    }

    @Test(
        "Every invalid file gives an error or an image",
        arguments: Corpus.files("invalid/ico", "invalid/cur"))
    func invalid(path: String) throws {
        let session = DecoderSession(Self.codec(path), try Corpus.bytes(path))
        #expect(session.error != nil || session.isComplete)
    }
}
