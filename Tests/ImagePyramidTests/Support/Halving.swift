import Raster

extension Bitmap {
    /// The upright picture's levels the plain way: the mean of four pixels, rounded, the last row and column counted twice
    /// where a side is odd. RGBA, opaque or premultiplied.
    func halves(count: Int) throws -> [Bitmap] {
        var levels = [self]
        while levels.count < count { levels.append(try levels[levels.count - 1].halved()) }
        return levels
    }

    private func halved() throws -> Bitmap {
        let half = PixelSize(width: (width + 1) / 2, height: (height + 1) / 2)
        var result = try MutableBitmap(BitmapInfo(size: half, format: format, alpha: alpha))
        var target = result.mutableRows
        for y in 0..<half.height {
            let upper = rows.row(2 * y, as: RGBA8.self)
            let lower = rows.row(min(height - 1, 2 * y + 1), as: RGBA8.self)
            var row = target.row(y, as: RGBA8.self)
            for x in 0..<half.width {
                let (left, right) = (2 * x, min(width - 1, 2 * x + 1))
                row[x] = Self.mean(upper[left], upper[right], lower[left], lower[right])
            }
        }
        return result.freeze()
    }

    private static func mean(_ a: RGBA8, _ b: RGBA8, _ c: RGBA8, _ d: RGBA8) -> RGBA8 {
        func mean(_ channel: KeyPath<RGBA8, UInt8>) -> UInt8 {
            UInt8(
                (Int(a[keyPath: channel]) + Int(b[keyPath: channel]) + Int(c[keyPath: channel])
                    + Int(d[keyPath: channel]) + 2) / 4)
        }
        return RGBA8(mean(\.red), mean(\.green), mean(\.blue), mean(\.alpha))
    }
}
