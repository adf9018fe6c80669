#if JPEGXL
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Gain maps in boxes `brob`: the type of a box, and its contents compressed by Brotli.
@Suite("JPEG XL: gain maps in compressed boxes")
struct JPEGXLCompressedGainMapTests {
    private static let base = Result {
        try GainMapFixture.image().withGainMap(nil).data(as: .jpegXL, options: EncodingOptions(quality: 0.95))
    }

    /// The contents of the box for the map of `GainMapFixture.image(metadata)`.
    private static func contents(_ metadata: GainMapMetadata = GainMapFixture.gray) throws -> [UInt8] {
        let file = try GainMapFixture.file(GainMapFixture.image(metadata), as: .jpegXL)
        return Array(file[(try GainMapFixture.offset(of: Array("jhgm".utf8), in: file) + 4)...])
    }

    private static func file(
        _ stream: [UInt8], type: String = "jhgm", before: [(String, [UInt8])] = [], after: [(String, [UInt8])] = []
    ) throws -> [UInt8] {
        JPEGXLFixture.boxed(
            try base.get(), before: before, after: [("brob", Array(type.utf8) + stream)] + after)
    }

    private static func expect(
        _ code: ImageError.Code?, _ file: [UInt8], limits: DecodingLimits = .standard, _ comment: Comment? = nil
    ) throws {
        let header = try ImageSource.header(of: file)
        let options = DecodingOptions(limits: limits)
        do throws(ImageError) {
            _ = try ImageSource.gainMap(in: Source(file), header: header, options: options)
            #expect(code == nil, comment)
        } catch {
            #expect(error.code == code, comment)
            // A limit has no place in the file.
            #expect(error.byteOffset.map { (40...file.count).contains($0) } ?? (code == .limitExceeded), comment)
        }
    }

    @Test("The map is that of the box that isn't compressed")
    func same() throws {
        let contents = try Self.contents()
        let plain = JPEGXLFixture.boxed(try Self.base.get(), after: [("jhgm", contents)])
        let packed = try Self.file(JPEGXLFixture.brotli(contents))
        let (expected, map) = (
            try #require(try Image(data: plain).gainMap), try #require(try Image(data: packed).gainMap)
        )
        #expect(map.metadata == expected.metadata && map.metadata == GainMapFixture.gray)
        #expect(try map.image.bitmap().tightBytes() == expected.image.bitmap().tightBytes())
        #expect(try ImageSource.decode(packed).bitmap.tightBytes() == ImageSource.decode(plain).bitmap.tightBytes())
    }

    @Test("Before the codestream, after other compressed boxes, and the first of two")
    func places() throws {
        let (contents, other) = (try Self.contents(), try Self.contents(GainMapFixture.colored))
        let packed = Array("jhgm".utf8) + JPEGXLFixture.brotli(contents)
        let xmp = Array("xml ".utf8) + JPEGXLFixture.brotli(Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8))
        for file in [
            JPEGXLFixture.boxed(try Self.base.get(), before: [("brob", packed)]),
            JPEGXLFixture.boxed(try Self.base.get(), before: [("brob", xmp)], after: [("brob", packed)]),
            JPEGXLFixture.boxed(try Self.base.get(), before: [("brob", packed)], after: [("jhgm", other)]),
        ] {
            #expect(try Image(data: file).gainMap?.metadata == GainMapFixture.gray)
        }
        let file = JPEGXLFixture.boxed(try Self.base.get(), before: [("jhgm", other)], after: [("brob", packed)])
        #expect(try Image(data: file).gainMap?.metadata == GainMapFixture.colored)
    }

    @Test("Compressed boxes of other types are no map")
    func otherTypes() throws {
        let stream = JPEGXLFixture.brotli(try Self.contents())
        for type in ["xml ", "brob", "jxlc", "jhg\0"] {
            let file = try Self.file(stream, type: type)
            guard let header = try? ImageSource.header(of: file) else { continue }
            #expect(try ImageSource.gainMap(in: Source(file), header: header) == nil, "\(type)")
        }
        let short = JPEGXLFixture.boxed(try Self.base.get(), after: [("brob", Array("jh".utf8))])
        #expect(try Image(data: short).gainMap == nil)
        // The type would be complete with the bytes behind the box.
        #expect(try Image(data: short + Array("gm".utf8) + [UInt8](repeating: 0, count: 30)).gainMap == nil)
    }

    @Test("Streams that end early or are damaged")
    func damaged() throws {
        let stream = JPEGXLFixture.brotli(try Self.contents())
        for count in [0, 1, 2, 3, 50, stream.count / 2, stream.count - 1] {
            try Self.expect(.truncated, try Self.file(Array(stream.prefix(count))), "\(count) bytes")
        }
        // A reserved bit, and a block that is longer than what follows it.
        try Self.expect(.corrupt, try Self.file([0x11] + stream))
        var long = stream
        (long[0], long[1], long[2]) = (long[0] | 0xF0, 0xFF, long[2] | 0x0F)
        try Self.expect(.truncated, try Self.file(long))
        // Nothing at all, and contents that are wrong once decompressed.
        try Self.expect(.truncated, try Self.file(JPEGXLFixture.brotli([])))
        try Self.expect(.unsupported, try Self.file(JPEGXLFixture.brotli([1] + Self.contents().dropFirst())))
        try Self.expect(.truncated, try Self.file(JPEGXLFixture.brotli(Array(Self.contents().prefix(60)))))
        // The box itself ends beyond the file.
        try Self.expect(.truncated, Array(try Self.file(stream).dropLast(5)))
    }

    @Test("A compressed box expands to the limit for metadata at most")
    func limits() throws {
        try Self.expect(.limitExceeded, try Self.file(JPEGXLFixture.brotliBomb))
        let contents = try Self.contents()
        let file = try Self.file(JPEGXLFixture.brotli(contents))
        for (limit, code) in [(contents.count, nil), (contents.count - 1, .limitExceeded), (0, .limitExceeded)]
            as [(Int, ImageError.Code?)]
        {
            var limits = DecodingLimits.standard
            limits.maximumMetadataByteCount = limit
            try Self.expect(code, file, limits: limits, "\(limit)")
        }
        var limits = DecodingLimits.standard
        limits.maximumInputByteCount = contents.count
        try Self.expect(.limitExceeded, file, limits: limits)
    }

    @Test("Every byte of the stream's head may be anything")
    func anyByte() throws {
        let file = try Self.file(JPEGXLFixture.brotli(try Self.contents()))
        let start = try GainMapFixture.offset(of: Array("brob".utf8), in: file) - 4
        for offset in start..<(start + 90) {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var damaged = file
                damaged[offset] = value
                guard let map = try? Image(data: damaged).gainMap else { continue }
                #expect(map.metadata.red.gamma > 0 && map.metadata.red.maximum.isFinite && !map.image.size.isEmpty)
            }
        }
    }
}
#endif
