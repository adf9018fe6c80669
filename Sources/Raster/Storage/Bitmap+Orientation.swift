#if arch(x86_64) || arch(arm64)
internal import CTesseraKernels
#endif

extension Bitmap {
    /// The image turned upright, for pixels stored in `orientation`. `.up` copies nothing.
    /// - Throws: `outOfMemory`.
    public func oriented(by orientation: Orientation) throws(ImageError) -> Bitmap {
        guard orientation != .up else { return self }
        var info = info
        info.size = orientation.applied(to: size)
        var result = try MutableBitmap(uninitialized: info)
        result.withSharedRows { target in
            Strips.perform(rowCount: info.size.height, byteCount: byteCount) { range in
                switch format {
                case .gray8: turn(by: orientation, as: Gray8.self, rows: range, of: target)
                case .gray16: turn(by: orientation, as: Gray16.self, rows: range, of: target)
                case .rgba8: turn(by: orientation, as: RGBA8.self, rows: range, of: target)
                case .rgba16: turn(by: orientation, as: RGBA16.self, rows: range, of: target)
                }
            }
        }
        return result.freeze()
    }

    /// Makes some rows of the upright image.
    @inline(__always)
    private func turn<P: Pixel>(
        by orientation: Orientation, as type: P.Type, rows: Range<Int>, of target: SharedRows
    ) {
        guard orientation.swapsSides else {
            target.withRows(rows) { upright in
                let fromBottom = orientation == .down || orientation == .downMirrored
                for y in rows {
                    let stored = fromBottom ? height - 1 - y : y
                    let row = self.rows.extracting(stored..<(stored + 1))
                    upright.copy(row, at: y - rows.lowerBound)
                }
                if orientation != .downMirrored { upright.mirror() }
            }
            return
        }
        // Upright row x is stored column x, or counted from the right; within it stored rows come from top or bottom.
        let (fromRight, fromBottom) = (
            orientation == .left || orientation == .rightMirrored,
            orientation == .right || orientation == .rightMirrored
        )
        let columns = fromRight ? (width - rows.upperBound)..<(width - rows.lowerBound) : rows
        let (stride, pixel) = (storage.bytesPerRow, MemoryLayout<P>.stride)
        // The stored columns, and the upright rows that they become, are all within their bitmaps; where a stride is
        // negative, the base is that of the last row.
        Transposition.perform(
            source: UnsafeRawPointer(storage.base) + columns.lowerBound * pixel
                + (fromBottom ? (height - 1) * stride : 0),
            sourceStride: fromBottom ? -stride : stride,
            target: target.base + (fromRight ? rows.upperBound - 1 : rows.lowerBound) * target.bytesPerRow,
            targetStride: fromRight ? -target.bytesPerRow : target.bytesPerRow,
            width: columns.count, height: height, as: type)
    }
}

extension MutablePixelRows {
    /// Exchanges left and right in every row.
    public mutating func mirror() {
        for y in 0..<count {
            switch format {
            case .gray8: Self.mirror(row(y, as: Gray8.self))
            case .gray16: Self.mirror(row(y, as: Gray16.self))
            case .rgba8: Self.mirror(row(y, as: RGBA8.self))
            case .rgba16: Self.mirror(row(y, as: RGBA16.self))
            }
        }
    }

    @inline(__always) private static func mirror<P: Pixel>(_ row: consuming MutableSpan<P>) {
        let last = row.count - 1
        row.withUnsafeMutableBufferPointer { pixels in
            // Both indices are in bounds: x runs over the left half only.
            for x in 0..<((last + 1) / 2) {
                let left = pixels[x]
                pixels[x] = pixels[last - x]
                pixels[last - x] = left
            }
        }
    }
}

/// Exchanges rows and columns.
enum Transposition {
    /// Writes column x of `source` to row x of `target`, for `width` columns of `height` pixels.
    ///
    /// Strides are in bytes and may be negative; all rows that they lead to must be valid.
    @inline(__always)
    static func perform<P: Pixel>(
        source: UnsafeRawPointer, sourceStride: Int, target: UnsafeMutableRawPointer, targetStride: Int,
        width: Int, height: Int, as type: P.Type
    ) {
        #if arch(x86_64) || arch(arm64)
        if MemoryLayout<P>.stride == 4 {
            tessera_transpose_pixels(source, sourceStride, target, targetStride, width, height)
            return
        }
        #endif
        // A block's rows of the target are a cache line each, and are filled while they are in the cache.
        let block = 64 / MemoryLayout<P>.stride
        for top in stride(from: 0, to: height, by: block) {
            let rows = min(block, height - top)
            for left in stride(from: 0, to: width, by: block) {
                for x in left..<min(left + block, width) {
                    // In bounds: x is below width, top + y below height.
                    let to = (target + x * targetStride).assumingMemoryBound(to: P.self) + top
                    let from = source + top * sourceStride + x * MemoryLayout<P>.stride
                    for y in 0..<rows { to[y] = (from + y * sourceStride).assumingMemoryBound(to: P.self).pointee }
                }
            }
        }
    }
}
