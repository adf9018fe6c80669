import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Estimates of coding cost")
struct CodingCostTests {
    private static let formats = CodecRegistry.default.formats.filter { CodecRegistry.default.canEncode($0) }

    private func cost(
        _ format: ImageFormat, _ side: Int, _ options: EncodingOptions = EncodingOptions()
    ) throws -> CodingCost {
        let info = BitmapInfo(size: PixelSize(width: side, height: side), format: .rgba8, alpha: .none)
        return try ImageDestination(format: format, options: options).encodingCost(of: info)
    }

    @Test("More pixels take more memory and more time", arguments: formats)
    func growth(_ format: ImageFormat) throws {
        let (small, large) = (try cost(format, 200), try cost(format, 8000))
        #expect(large.byteCount > small.byteCount + 8_000_000 && large.seconds > small.seconds * 100)
        #expect(small.byteCount < 64 << 20 && small.seconds < 1)
    }

    @Test("No size overflows")
    func huge() throws {
        let info = BitmapInfo(size: PixelSize(width: 1 << 30, height: 1 << 30), format: .rgba16, alpha: .straight)
        let cost = try ImageDestination(format: .png).encodingCost(of: info)
        #expect(cost.byteCount > 1 << 59 && (cost + cost).byteCount > cost.byteCount)
    }

    @Test("The file of an incompressible image is within the estimated memory", arguments: formats)
    func file(_ format: ImageFormat) throws {
        guard format != .ico, format != .cur, format != .xbm else { return }
        var noise = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: 700, height: 500), format: .rgba8, alpha: .none))
        var state: UInt32 = 7
        var rows = noise.mutableRows
        for y in 0..<500 {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<700 {
                state = state &* 1_664_525 &+ 1_013_904_223
                row[x] = RGBA8(UInt8(state >> 24), UInt8(state >> 16 & 255), UInt8(state >> 8 & 255))
            }
        }
        let bitmap = noise.freeze()
        let destination = try ImageDestination(format: format, options: EncodingOptions(quality: 1))
        #expect(try destination.encode(bitmap).count <= destination.encodingCost(of: bitmap.info).byteCount)
    }

    @Test("An estimate includes what the codec buffers")
    func kinds() throws {
        var options = EncodingOptions()
        let jpeg = try cost(.jpeg, 4000)
        options.jpeg.isProgressive = true
        #expect(try cost(.jpeg, 4000, options).byteCount >= jpeg.byteCount + 16_000_000 * 3)
        #if JPEGXL
        let fast = try cost(.jpegXL, 4000, EncodingOptions(jpegXL: EncodingOptions.JPEGXL(effort: 3)))
        let slow = try cost(.jpegXL, 4000)
        #expect(fast.byteCount > 16_000_000 * 38 && slow.byteCount > 16_000_000 * 80 && slow.seconds > fast.seconds)
        #expect(!fast.endsWhenCancelled && jpeg.endsWhenCancelled)
        #endif
    }

    @Test("Decoding a progressive JPEG takes some rows' memory, as of any other, and its bytes'")
    func decoding() throws {
        var header = ImageHeader(
            format: .jpeg, storedSize: PixelSize(width: 4000, height: 4000), colorModel: .rgb)
        let rows = JPEGCodec().decodingCost(of: header)
        header.isProgressive = true
        let inStep = JPEGCodec().decodingCost(of: header)
        #expect(rows.byteCount < 4 << 20 && inStep.byteCount < 16_000_000 && inStep.seconds > rows.seconds)
    }
}
