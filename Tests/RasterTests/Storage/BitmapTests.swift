import Raster
import Testing

@Suite("Bitmaps and their memory")
struct BitmapTests {
    static let hugeSizes = [
        PixelSize(width: .max, height: 1), PixelSize(width: 1, height: .max), PixelSize(width: .max, height: .max),
        PixelSize(width: 1 << 31, height: 1 << 31), PixelSize(width: .max / 4, height: 1),
    ]

    @Test("Sizes beyond the memory are refused", arguments: hugeSizes, PixelFormat.allCases)
    func refusesHugeSizes(size: PixelSize, format: PixelFormat) {
        let error = #expect(throws: ImageError.self) {
            _ = try MutableBitmap(uninitialized: BitmapInfo(size: size, format: format))
        }
        #expect(error?.code == .limitExceeded || error?.code == .outOfMemory)
    }

    @Test("Empty sizes are refused")
    func refusesEmptySizes() {
        for (width, height) in [(0, 1), (1, 0), (-1, 1), (1, .min)] {
            let info = BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8)
            let error = #expect(throws: ImageError.self) { _ = try MutableBitmap(info) }
            #expect(error?.code == .invalidParameter)
        }
    }

    @Test("Rows begin at multiples of 64 bytes", arguments: PixelFormat.allCases, [1, 15, 64, 1000])
    func alignment(format: PixelFormat, width: Int) throws {
        let bitmap = try noisePicture(width, 3, format)
        #expect(bitmap.bytesPerRow % 64 == 0)
        #expect(bitmap.bytesPerRow >= width * format.bytesPerPixel)
        #expect(bitmap.bytesPerRow < width * format.bytesPerPixel + 64)
        #expect(bitmap.byteCount == 3 * bitmap.bytesPerRow)
        let addresses = (0..<3).map { y in bitmap.rows.bytes(y).withUnsafeBytes { Int(bitPattern: $0.baseAddress!) } }
        #expect(addresses.allSatisfy { $0 % 64 == 0 })
        #expect(bitmap.tightBytes().count == 3 * width * format.bytesPerPixel)
    }

    @Test("A new bitmap is all zeros")
    func zeros() throws {
        let pool = PixelBufferPool(byteLimit: 1 << 20)
        let info = BitmapInfo(size: PixelSize(width: 100, height: 100), format: .rgba8)
        do {
            var dirty = try MutableBitmap(info, pool: pool)
            var rows = dirty.mutableRows
            for y in 0..<100 {
                var row = rows.row(y, as: RGBA8.self)
                for x in row.indices { row[x] = RGBA8(1, 2, 3) }
            }
        }
        #expect(pool.unusedByteCount > 0 || !PixelBufferPool.keepsBuffers)
        #expect(try MutableBitmap(info, pool: pool).freeze().tightBytes().allSatisfy { $0 == 0 })
    }

    @Test("A snapshot is unaffected by later writes")
    func snapshot() throws {
        var bitmap = try noisePicture(4, 4, .gray8).mutableCopy()
        let before = try bitmap.snapshot()
        let bytes = before.tightBytes()
        bitmap.withMutableRows(0..<4) { rows in
            var row = rows.row(2, as: Gray8.self)
            row[1] = Gray8(bytes[9] ^ 255)
        }
        #expect(before.tightBytes() == bytes)
        var changed = bytes
        changed[9] ^= 255
        #expect(bitmap.freeze().tightBytes() == changed)
    }

    @Test("A crop has its part's pixels", arguments: PixelFormat.allCases)
    func cropping(format: PixelFormat) throws {
        let source = try noisePicture(20, 10, format)
        let part = try source.cropped(to: PixelRect(x: 3, y: 4, width: 9, height: 5))
        let (all, some) = (Samples(source), Samples(part))
        for y in 0..<5 { for x in 0..<9 { #expect(some.pixel(x, y) == all.pixel(3 + x, 4 + y)) } }
        #expect(throws: ImageError.self) { try source.cropped(to: PixelRect(x: 12, y: 0, width: 9, height: 1)) }
    }

    @Test("Grey has no alpha")
    func grayAlpha() {
        let info = BitmapInfo(size: PixelSize(width: 1, height: 1), format: .gray16, alpha: .premultiplied)
        #expect(info.alpha == .none)
    }

    @Test("A bitmap that nobody else has becomes mutable again without a copy")
    func reclaiming() throws {
        func place(_ bitmap: Bitmap) -> Int {
            bitmap.rows.bytes(0).withUnsafeBytes { Int(bitPattern: $0.baseAddress!) }
        }
        let shared = try noisePicture(5, 4, .rgba8)
        var bitmap: Bitmap? = shared
        if MutableBitmap(reclaiming: &bitmap) != nil { Issue.record("somebody else has the bitmap") }
        #expect(bitmap?.size == nil)
        bitmap = try shared.mutableCopy().freeze()
        let copy = place(try #require(bitmap))
        guard let reclaimed = MutableBitmap(reclaiming: &bitmap) else {
            Issue.record("nobody else has the bitmap")
            return
        }
        let again = reclaimed.freeze()
        #expect(bitmap?.size == nil && place(again) == copy && place(shared) != copy)
        #expect(again.tightBytes() == shared.tightBytes())
    }
}
