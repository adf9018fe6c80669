extension Bitmap {
    /// The picture turned so that pixels stored as `orientation` says stand upright. `.up` copies nothing.
    public func oriented(by orientation: Orientation) throws(ImageError) -> Bitmap {
        guard orientation != .up else { return self }
        return switch format {
        case .gray8: try oriented(by: orientation, as: Gray8.self)
        case .gray16: try oriented(by: orientation, as: Gray16.self)
        case .rgba8: try oriented(by: orientation, as: RGBA8.self)
        case .rgba16: try oriented(by: orientation, as: RGBA16.self)
        }
    }

    private func oriented<P: Pixel>(by orientation: Orientation, as type: P.Type) throws(ImageError) -> Bitmap {
        var info = info
        info.size = orientation.applied(to: size)
        var result = try MutableBitmap(uninitialized: info)
        var target = result.mutableRows
        let (source, undo) = (rows, orientation.inverse)
        for y in 0..<info.size.height {
            var row = target.row(y, as: P.self)
            for x in 0..<info.size.width {
                let stored = undo.applied(toX: x, y: y, in: info.size)
                row[x] = source.row(stored.y, as: P.self)[stored.x]
            }
        }
        return result.freeze()
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

    private static func mirror<P: Pixel>(_ row: consuming MutableSpan<P>) {
        var (left, right) = (0, row.count - 1)
        while left < right {
            row.swapAt(left, right)
            left += 1
            right -= 1
        }
    }
}
