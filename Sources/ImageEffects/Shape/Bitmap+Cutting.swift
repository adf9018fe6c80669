internal import Raster

extension Bitmap {
    /// What lies within `shape`, whose top left corner is put at column `x` and row `y`. It has to lie in the picture.
    func cut(to shape: RoundedRectangle, x: Int = 0, y: Int = 0) throws(ImageError) -> Bitmap {
        var info = info
        info.size = shape.size
        info.alpha = .premultiplied
        var result = try MutableBitmap(uninitialized: info)
        try result.fill { (rows, range) throws(ImageError) in
            for row in range {
                let (left, right) = shape.row(row)
                switch format {
                case .rgba16:
                    Self.cut(
                        self.rows.row(y + row, as: RGBA16.self), from: x, left, right,
                        to: rows.row(row - range.lowerBound, as: RGBA16.self))
                default:
                    Self.cut(
                        self.rows.row(y + row, as: RGBA8.self), from: x, left, right,
                        to: rows.row(row - range.lowerBound, as: RGBA8.self))
                }
            }
        }
        return result.freeze()
    }

    private static func cut<P: RGBAPixel>(
        _ source: Span<P>, from origin: Int, _ left: RoundedCorner.Row, _ right: RoundedCorner.Row,
        to target: consuming MutableSpan<P>
    ) {
        let width = target.count
        let inside = left.count..<max(left.count, width - right.count)
        // The part in between is copied as bytes: both spans have it.
        target.withUnsafeMutableBufferPointer { target in
            source.withUnsafeBufferPointer { source in
                (target.baseAddress! + inside.lowerBound)
                    .update(from: source.baseAddress! + origin + inside.lowerBound, count: inside.count)
            }
        }
        let outside = P(channels: SIMD4(repeating: 0))
        for x in 0..<left.first { target[x] = outside }
        for x in left.first..<left.count {
            target[x] = source[origin + x].covered(left.coverage[x - left.first])
        }
        for x in 0..<right.first { target[width - 1 - x] = outside }
        for x in right.first..<right.count {
            target[width - 1 - x] = source[origin + width - 1 - x].covered(right.coverage[x - right.first])
        }
    }
}

extension RGBAPixel {
    /// The pixel times `coverage` / 65535, each channel rounded to the nearest.
    func covered(_ coverage: UInt16) -> Self {
        // 65535 × 65535 + 32767 fits in 32 bits.
        let product = channels &* UInt32(coverage) &+ 32767
        return Self(channels: product / 65535)
    }
}
