import ImageFormats
import Raster
import Testing

/// Real files that nobody here wrote.
@Suite("ICO corpus", .enabled(if: CorpusFolder.path != nil, "TESSERA_CORPUS is not set"))
struct ICOCorpusTests {
    private static func codec(_ path: String) -> ICOCodec { ICOCodec(path.hasSuffix(".cur") ? .cur : .ico) }

    @Test(
        "every picture of every valid file decodes, and to Pillow's pixels",
        arguments: CorpusFolder.files("valid", "ico") + CorpusFolder.files("valid", "cur"))
    func valid(path: String) throws {
        let file = try CorpusFolder.bytes(path)
        let codec = Self.codec(path)
        let header = try #require(CodecSession(codec, file).header)
        for index in 0..<(header.sequence?.count ?? 1) {
            let options = DecodingOptions(color: .asStored, imageIndex: index)
            let session = CodecSession(codec, file, options: options)
            #expect(session.isComplete && session.error == nil, "\(String(describing: session.error))")
        }
        let session = CodecSession(codec, file)
        for round in 0..<3 {
            let split = CodecSession(codec, file, splits: CodecSession.splits(of: file.count, round: round))
            #expect(split.bitmap?.tightBytes() == session.bitmap?.tightBytes())
            #expect(split.header == session.header)
        }
        guard PillowReader.isInstalled else { return }
        guard let expected = try PillowReader.decode(file) else {
            print("not compared with Pillow, which refuses it: \(path)")
            return
        }
        #expect(session.bitmap?.size == expected.size)
        if path.hasSuffix("two-entry-order-test.ico") {
            // Two that are equal in size and depth: Pillow takes the last, Windows the first.
            let last = CodecSession(codec, file, options: DecodingOptions(color: .asStored, imageIndex: 1))
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
        "every invalid file gives an error or a picture",
        arguments: CorpusFolder.files("invalid", "ico") + CorpusFolder.files("invalid", "cur"))
    func invalid(path: String) throws {
        let session = CodecSession(Self.codec(path), try CorpusFolder.bytes(path))
        #expect(session.error != nil || session.isComplete)
    }
}
