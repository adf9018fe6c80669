#if TIFF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("TIFF: damage")
struct TIFFDamageTests {
    /// 4 × 8 grey pixels in strips of two rows, which stand behind the directory.
    private static var strips: TIFFFixture.Page {
        TIFFFixture.Page(
            4, 8, photometric: 1, more: [278: (3, [2])],
            chunks: (0..<4).map { [UInt8](repeating: UInt8(10 * $0 + 1), count: 8) })
    }

    /// The rows that come before the error, by a driver that is told of every one.
    private static func rows(_ file: [UInt8]) -> (values: [UInt8], error: ImageError?) {
        var values: [UInt8] = []
        do throws(ImageError) {
            let options = DecodingOptions(color: .asStored)
            let source = try ImageRowSource(Source(file), options: options, registry: TIFFFixture.registry)
            var info = source.info
            info.size.height = 3
            var strip = try MutableBitmap(info)
            while true {
                let count = try strip.withMutableRows(0..<3) { (rows) throws(ImageError) in
                    try source.read(into: &rows)
                }
                if count == 0 { return (values, nil) }
                for y in 0..<count { values.append(strip.rows.row(y, as: Gray8.self)[0].value) }
            }
        } catch {
            return (values, error)
        }
    }

    @Test("A truncated file gives its rows, then the error")
    func truncated() {
        let file = TIFFFixture().file(Self.strips)
        #expect(Self.rows(file).values == [1, 1, 11, 11, 21, 21, 31, 31])
        for missing in 1...16 {
            let (values, error) = Self.rows(file.dropLast(missing))
            #expect(values.count == (missing > 8 ? 4 : 6))
            #expect(error?.code == .truncated && error?.byteOffset != nil)
        }
    }

    @Test("Rows before the damage in a strip are decoded")
    func withinAStrip() {
        // PackBits: three rows of four, and a byte that announces four more.
        let packed: [UInt8] = [3, 1, 1, 1, 1, 3, 2, 2, 2, 2, 0xFD, 3, 3]
        let page = TIFFFixture.Page(4, 5, photometric: 1, more: [259: (3, [32773])], chunks: [packed])
        let (values, error) = Self.rows(TIFFFixture().file(page))
        #expect(values == [1, 2, 3])
        #expect(error?.code == .corrupt)
    }

    @Test("Every truncation gives an error, never a trap")
    func cuts() throws {
        for (name, page) in TIFFDecodingTests.layouts {
            let file = TIFFFixture(isBig: name.count % 2 == 0).file([page, page])
            for count in 0..<file.count {
                let decoded = try? TIFFFixture.decode(Array(file.prefix(count)))
                // The first page may be whole.
                #expect(decoded == nil || decoded!.header.storedSize == PixelSize(width: 5, height: 7))
            }
        }
    }

    static let hostile: [(String, [Int: TIFFFixture.Field])] = [
        ("no rows in a strip", [278: (3, [0])]),
        ("no width", [256: (4, [0])]),
        ("no bits", [258: (3, [0])]),
        ("no samples", [277: (3, [0])]),
        ("more samples than bytes", [277: (3, [65535]), 262: (3, [2])]),
        ("bits that differ", [258: (3, [8, 4, 8]), 277: (3, [3]), 262: (3, [2])]),
        ("huge sides", [256: (4, [0xFFFF_FFFF]), 257: (4, [0xFFFF_FFFF])]),
        ("huge width", [256: (4, [1 << 20]), 258: (3, [32]), 278: (4, [1 << 20])]),
        ("huge tiles", [322: (4, [0xFFFF_FFF0]), 323: (4, [0xFFFF_FFF0])]),
        ("large tiles", [322: (4, [1 << 14]), 323: (4, [1 << 14])]),
        ("tiles of no size", [322: (4, [0]), 323: (4, [0])]),
        ("strips in no order", [273: (4, [0xFFFF_FFFF]), 279: (4, [0xFFFF_FFFF])]),
        ("complex samples", [339: (3, [6]), 258: (3, [64])]),
        ("no palette", [262: (3, [3]), 258: (3, [4])]),
        ("colours of two samples", [262: (3, [2]), 277: (3, [2]), 258: (3, [8, 8])]),
        ("an unknown compression", [259: (3, [12345])]),
        ("JBIG", [259: (3, [34661])]),
        ("LZW of nothing", [259: (3, [5])]),
        ("Deflate of nothing", [259: (3, [8])]),
        ("JPEG of nothing", [259: (3, [7])]),
        ("old JPEG of nothing", [259: (3, [6]), 262: (3, [6]), 277: (3, [3]), 258: (3, [8, 8, 8])]),
    ]

    @Test("Invalid values are refused", arguments: hostile)
    func nonsense(name: String, fields: [Int: TIFFFixture.Field]) {
        // Planes that nobody gave a place are read as nothing.
        for planar: UInt64 in name == "more samples than bytes" ? [1] : [1, 2] {
            var more: [Int: TIFFFixture.Field] = [278: (3, [2]), 284: (3, [planar])]
            more.merge(fields) { $1 }
            var page = Self.strips
            page.fields.merge(more) { $1 }
            let file = TIFFFixture().file(page)
            let code = errorCode {
                if let error = try TIFFFixture.decode(file).error { throw error }
            }
            #expect(code != nil && code != .inputOutput, "\(name)")
        }
    }

    @Test("Limits are checked before memory is allocated")
    func limits() {
        let wide = TIFFFixture.Page(3000, 3000, photometric: 1, more: [278: (3, [100])], chunks: [[0]])
        let file = TIFFFixture().file(wide)
        var limits = DecodingLimits.standard
        limits.maximumPixelCount = 1 << 20
        #expect(errorCode { try TIFFFixture.decode(file, limits: limits) } == .limitExceeded)
        limits = .standard
        limits.maximumWorkingByteCount = 1000
        #expect(errorCode { try TIFFFixture.decode(file, limits: limits) } == .limitExceeded)
        let bomb = TIFFFixture().file(
            TIFFFixture.Page(30000, 30000, photometric: 1, more: [278: (3, [1])], chunks: [[0]]))
        #expect(errorCode { try TIFFFixture.decode(bomb) } == .limitExceeded)
        limits = .standard
        limits.maximumFrameCount = 3
        let pages = [TIFFFixture.Page](repeating: Self.strips, count: 4)
        #expect(errorCode { try TIFFFixture.decode(TIFFFixture().file(pages), limits: limits) } == .limitExceeded)
        #expect(
            errorCode { try TIFFFixture.decode(TIFFFixture().file(Array(pages.dropLast())), limits: limits) } == nil)
    }

    @Test("Any byte in a directory gives an error or an image")
    func mutations() {
        let file = TIFFFixture().file([TIFFDecodingTests.layouts["tiles"]!, TIFFDecodingTests.layouts["PackBits"]!])
        var limits = DecodingLimits.standard
        limits.maximumPixelCount = 1 << 16
        limits.maximumWorkingByteCount = 1 << 24
        for index in 0..<220 {
            for value: UInt8 in [0, 1, 2, 0x7F, 0xFF] {
                var changed = file
                changed[index] = value
                for page in [0, 1] { _ = try? TIFFFixture.decode(changed, page: page, limits: limits) }
            }
        }
    }
}
#endif
