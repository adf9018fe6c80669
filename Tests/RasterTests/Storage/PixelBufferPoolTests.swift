import Raster
import Testing

@Suite("The pool of buffers", .enabled(if: PixelBufferPool.keepsBuffers, "built without pools"))
struct PixelBufferPoolTests {
    private func use(_ side: Int, _ pool: PixelBufferPool) throws -> Int {
        let info = BitmapInfo(size: PixelSize(width: side, height: side), format: .rgba8)
        let bitmap = try MutableBitmap(uninitialized: info, pool: pool).freeze()
        return bitmap.rows.bytes(0).withUnsafeBytes { Int(bitPattern: $0.baseAddress!) }
    }

    @Test("A buffer is reused for an image of the same size")
    func reuse() throws {
        let pool = PixelBufferPool(byteLimit: 64 << 20)
        for side in [64, 300, 2000] {
            let first = try use(side, pool)
            #expect(try use(side, pool) == first)
        }
    }

    @Test("Large buffers begin on a huge page")
    func hugePages() throws {
        #expect(try use(1024, PixelBufferPool(byteLimit: 0)) % (2 << 20) == 0)
    }

    @Test("Kept buffers stay within the limit")
    func bound() throws {
        let pool = PixelBufferPool(byteLimit: 3 << 20)
        var bitmaps: [Bitmap] = []
        for side in [300, 400, 500, 600, 700] {
            bitmaps.append(
                try MutableBitmap(
                    BitmapInfo(size: PixelSize(width: side, height: side), format: .rgba8), pool: pool
                ).freeze())
        }
        #expect(pool.unusedByteCount == 0)
        while !bitmaps.isEmpty {
            bitmaps.removeLast()
            #expect(pool.unusedByteCount <= 3 << 20)
        }
        #expect(pool.unusedByteCount > 0)
        pool.removeAll()
        #expect(pool.unusedByteCount == 0)
    }

    @Test("A buffer larger than the limit isn't kept")
    func tooLarge() throws {
        let pool = PixelBufferPool(byteLimit: 1000)
        _ = try use(100, pool)
        #expect(pool.unusedByteCount == 0)
    }

    @Test("Small buffers don't pile up")
    func count() throws {
        let pool = PixelBufferPool(byteLimit: 64 << 20)
        var bitmaps: [Bitmap] = []
        for _ in 0..<500 {
            bitmaps.append(
                try MutableBitmap(BitmapInfo(size: PixelSize(width: 4, height: 4), format: .gray8), pool: pool).freeze()
            )
        }
        bitmaps.removeAll()
        #expect(pool.unusedByteCount <= 64 * 4096)
    }

    @Test("A small image doesn't take a large buffer")
    func waste() throws {
        let pool = PixelBufferPool(byteLimit: 64 << 20)
        _ = try use(2000, pool)
        let kept = pool.unusedByteCount
        _ = try use(100, pool)
        #expect(pool.unusedByteCount > kept)
    }

    @Test("Two images in use never share a buffer")
    func exclusive() throws {
        let pool = PixelBufferPool(byteLimit: 64 << 20)
        let info = BitmapInfo(size: PixelSize(width: 64, height: 64), format: .rgba8)
        _ = try use(64, pool)
        let (a, b) = (try MutableBitmap(info, pool: pool).freeze(), try MutableBitmap(info, pool: pool).freeze())
        let places = [a, b].map { $0.rows.bytes(0).withUnsafeBytes { Int(bitPattern: $0.baseAddress!) } }
        #expect(abs(places[0] - places[1]) >= a.byteCount)
    }
}

extension PixelBufferPool {
    /// Whether buffers are kept at all.
    static var keepsBuffers: Bool {
        #if WITHOUT_POOLS
        false
        #else
        true
        #endif
    }
}
