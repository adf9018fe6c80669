#if HEIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Synchronization
import Testing

/// Maps are read by their places: neither the base nor other items are.
@Suite("Gain maps read in place", .enabled(if: HEIFCodec().canEncode, "libheif has no encoder for HEVC"))
struct ISOItemReadingTests {
    /// Bytes that count how many of them are read.
    private final class Reader: RandomAccessBytes {
        private let bytes: [UInt8]
        private let readCount = Mutex(0)

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var count: Int { readCount.withLock { $0 } }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int {
            let part = bytes[min(offset, bytes.count)...].prefix(buffer.count)
            readCount.withLock { $0 += part.count }
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    private static let pictures = Result {
        (
            base: try HEIFFixture.Coded(GainMapFixture.bitmap(PixelSize(width: 128, height: 64))),
            map: try HEIFFixture.Coded(GainMapFixture.bitmap(PixelSize(width: 64, height: 64), format: .gray8)),
            gains: try GainMapFixture.bitmap(PixelSize(width: 64, height: 64), format: .gray8)
        )
    }

    /// The items base, map and `tmap`, and one of a megabyte that nobody knows.
    private static func fixture() throws -> HEIFFixture {
        let (base, map, _) = try pictures.get()
        var fixture = HEIFFixture(base)
        fixture.add(map, isHidden: true)
        fixture.items.append(
            HEIFFixture.Item(type: "tmap", data: [0] + GainMapFixture.gray.iso21496, properties: [], parts: [1, 2]))
        fixture.items.append(
            HEIFFixture.Item(type: "test", data: [UInt8](repeating: 0, count: 1 << 20), properties: [], isHidden: true))
        fixture.alternatives = [3, 1]
        return fixture
    }

    private static func map(_ fixture: HEIFFixture) throws -> (map: GainMap, readCount: Int)? {
        let file = fixture.bytes
        let header = try ImageSource.header(of: file)
        let reader = Reader(file)
        let map = try ImageSource.gainMap(in: Source(reader, byteCount: file.count), header: header)
        return map.map { ($0, reader.count) }
    }

    @Test("Only the boxes and the map's bytes are read")
    func fewBytes() throws {
        let (map, count) = try #require(try Self.map(Self.fixture()))
        let (_, stored, gains) = try Self.pictures.get()
        #expect(map.metadata == GainMapFixture.gray)
        #expect(try map.image.bitmap().tightBytes() == gains.tightBytes())
        #expect(count < stored.data.count + 8192, "\(count) bytes")
    }

    @Test("Bytes in several extents, and among the boxes", arguments: [1, 2, 3], [false, true])
    func places(extentCount: Int, isInItemData: Bool) throws {
        var fixture = try Self.fixture()
        for index in [1, 2] {
            fixture.items[index].extentCount = extentCount
            fixture.items[index].isInItemData = isInItemData
        }
        let (map, _) = try #require(try Self.map(fixture))
        #expect(map.metadata == GainMapFixture.gray)
        #expect(try map.image.bitmap().tightBytes() == Self.pictures.get().gains.tightBytes())
    }

    @Test("An item that ends beyond the file, or has no bytes, is an error")
    func missing() throws {
        let file = try Self.fixture().bytes
        let header = try ImageSource.header(of: file)
        // The map's bytes come after the base's.
        let (base, map, _) = try Self.pictures.get()
        let start = try GainMapFixture.offset(of: Array("mdat".utf8), in: file) + 4
        for count in [start + base.data.count, start + base.data.count + map.data.count - 1] {
            let cut = Array(file.prefix(count))
            #expect(throws: ImageError.self) { try ImageSource.gainMap(in: Source(cut), header: header) }
        }
        // Nor is there a list of items in a file that ends before it does.
        #expect(try ImageSource.gainMap(in: Source(Array(file.prefix(start - 9))), header: header) == nil)
        #expect(try ImageSource.gainMap(in: Source([UInt8]()), header: header) == nil)
    }

    @Test("A file that is shorter than it was announced is truncated")
    func shorter() throws {
        let file = try Self.fixture().bytes
        let header = try ImageSource.header(of: file)
        let base = try Self.pictures.get().base
        let start = try GainMapFixture.offset(of: Array("mdat".utf8), in: file) + 4
        let reader = Reader(Array(file.prefix(start + base.data.count + 10)))
        let source = Source(reader, byteCount: file.count)
        #expect(errorCode { try ImageSource.gainMap(in: source, header: header) } == .truncated)
    }

    @Test("Tiles of a map that share bytes count each time")
    func sharedBytes() throws {
        let (_, map, _) = try Self.pictures.get()
        var fixture = try Self.fixture()
        fixture.properties.append(HEIFFixture.size(PixelSize(width: 64 * 64, height: 64)))
        fixture.items[3] = HEIFFixture.Item(
            type: "grid", data: [0, 0, 0, 63, 16, 0, 0, 64], properties: [fixture.properties.count],
            parts: [Int](repeating: 2, count: 64), isHidden: true)
        fixture.items[2].parts = [1, 4]
        // One tile used 64 times is stored once.
        let (read, count) = try #require(try Self.map(fixture))
        #expect(read.image.size == PixelSize(width: 4096, height: 64))
        #expect(count < map.data.count + 8192)
        // A grid of itself, or of an item that isn't there, can't be read alone.
        let header = try ImageSource.header(of: fixture.bytes)
        for part in [4, 99] {
            fixture.items[3].parts[5] = part
            let source = Source(fixture.bytes)
            #expect(errorCode { try ImageSource.gainMap(in: source, header: header) } == .unsupported)
        }
    }
}
#endif
