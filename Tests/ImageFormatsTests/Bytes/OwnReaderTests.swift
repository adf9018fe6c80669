import ImageFormats
import ImageFormatsTestSupport
import Raster
import Synchronization
import Testing

@Suite("A source with a reader of the program", .timeLimit(.minutes(15)))
struct OwnReaderTests {
    /// Bytes in memory, read at any offset; fails from `failure` on.
    private final class Reader: RandomAccessBytes {
        private let bytes: [UInt8]
        private let failure: Int
        let readCount = Mutex(0)

        init(_ bytes: [UInt8], failingAt failure: Int = .max) {
            self.bytes = bytes
            self.failure = failure
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int {
            readCount.withLock { $0 += 1 }
            guard offset + buffer.count <= failure else {
                throw ImageError(.inputOutput, "the reader failed", byteOffset: failure)
            }
            let part = bytes[min(offset, bytes.count)...].prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    private let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }

    @Test("Its bytes are those of the reader, in sequence and at any offset")
    func bytesOfReader() throws {
        let source = Source(Reader(bytes), byteCount: bytes.count)
        #expect(source.byteCount == bytes.count)
        #expect(!source.isStream && !source.isRegular)
        #expect(source.fileNumber == nil)
        #expect(try source.bytes() == bytes)
        #expect(try source.bytes(10, at: 300_000) == Array(bytes[300_000..<300_010]))
        #expect(try source.suffix(7) == bytes.suffix(7))
        let parts = try source.withBytes(in: [5..<8, 600_000..<600_002]) { (span, _) throws(ImageError) in
            span.withUnsafeBytes { Array($0) }
        }
        #expect(parts == Array(bytes[5..<8]) + Array(bytes[600_000..<600_002]))
    }

    @Test("A reader with fewer bytes than announced is truncated, and its errors are passed on")
    func shortAndFailing() throws {
        let short = Source(Reader(Array(bytes.prefix(1000))), byteCount: 2000)
        #expect(throws: ImageError.self) { try short.bytes(10, at: 1500) }
        #expect(try short.bytes() == Array(bytes.prefix(1000)))
        let failing = Source(Reader(bytes, failingAt: 500_000), byteCount: bytes.count)
        let error = #expect(throws: ImageError.self) { try failing.bytes() }
        #expect(error?.code == .inputOutput)
        #expect(error?.byteOffset == 500_000)
        #expect(try failing.bytes(10, at: 0) == Array(bytes.prefix(10)))
    }

    @Test("Only its length is read", arguments: [0, 100, 699_999])
    func notBeyondLength(count: Int) throws {
        #expect(try Source(Reader(bytes), byteCount: count).bytes() == Array(bytes.prefix(count)))
    }

    @Test("An image is decoded as from memory", arguments: [ImageFormat.png, .jpeg, .gif, .tiff, .webP, .jpng])
    func image(format: ImageFormat) throws {
        guard CodecRegistry.default.canEncode(format) else { return }
        let file = try Image(Bitmap.grainy(PixelSize(width: 93, height: 61))).data(as: format)
        let expected = try Image(data: file).bitmap()
        let reader = Reader(file)
        let image = try Image(Source(reader, byteCount: file.count))
        #expect(try image.bitmap().tightBytes() == expected.tightBytes())
        #expect(reader.readCount.withLock { $0 } > 0)
    }
}
