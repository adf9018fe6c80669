import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Files of a known length that are read a few bytes at a time, as a network's file system may.
@Suite("Files read a few bytes at a time")
struct SmallPiecesTests {
    private final class Pieces: ByteReader {
        private let bytes: [UInt8]
        private let count: Int
        private var position = 0

        init(_ bytes: [UInt8], of count: Int) { (self.bytes, self.count) = (bytes, count) }

        var byteCount: Int? { bytes.count }

        func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
            let piece = Array(bytes[position..<min(bytes.count, position + count)])
            guard !piece.isEmpty else { return false }
            position += piece.count
            try body(piece.span.bytes)
            return true
        }

        func suffix(_ count: Int) throws(ImageError) -> [UInt8]? { Array(bytes.suffix(count)) }
    }

    @Test("Every format is identified however small the first chunks")
    func known() throws {
        let picture = try Bitmap.pattern(20, 10, .rgba8, alpha: AlphaMode.none)
        for format in CodecRegistry.default.encodableFormats where CodecRegistry.default.canDecode(format) {
            let bytes = try ImageDestination(format: format).encode(picture)
            let whole = try ImageRowSource(Source(bytes))
            let pixels = try whole.makeBitmap().tightBytes()
            for count in [1, 3, 11] {
                let source = try ImageRowSource(Pieces(bytes, of: count))
                #expect(source.header.format == whole.header.format)
                #expect(try source.makeBitmap().tightBytes() == pixels, "\(format)")
            }
        }
    }
}
