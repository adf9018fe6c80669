extension Bitmap {
    /// The picture turned so that pixels stored as `orientation` says stand upright. `.up` copies nothing.
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

    /// Makes some rows of the upright picture.
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
