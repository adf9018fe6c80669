internal import Raster

extension Bitmap {
    /// The rotated image, its edges antialiased against transparency.
    func turned(_ rotation: Rotation, options: EffectOptions) throws(ImageError) -> Bitmap {
        var info = info
        info.size = rotation.target
        info.alpha = .premultiplied
        let filter: ResamplingFilter =
            switch options.filter {
            case .automatic, .bicubic: .bicubic
            case .area, .bilinear: .bilinear
            case .mitchell: .mitchell
            case .lanczos3: .lanczos3
            }
        var result = try MutableBitmap(uninitialized: info)
        if format == .rgba8, filter != .lanczos3, !options.linearLight {
            let weights = RotationWeights(filter)
            try result.fill(touching: byteCount) { (rows, range) throws(ImageError) in
                turn(rotation, weights, into: &rows, range)
            }
        } else {
            let turning = FloatRotation(rotation, filter: filter, isLinear: options.linearLight)
            try result.fill(touching: byteCount) { (rows, range) throws(ImageError) in
                turning.turn(self, into: &rows, range)
            }
        }
        return result.freeze()
    }

    /// The number of columns made at a time, so that the rows of the image that one row comes from are still in the
    /// cache for the next.
    private static let tileWidth = 128

    private func turn(
        _ rotation: Rotation, _ weights: RotationWeights, into rows: inout MutablePixelRows, _ range: Range<Int>
    ) {
        for left in stride(from: 0, to: rotation.target.width, by: Self.tileWidth) {
            let columns = left..<min(left + Self.tileWidth, rotation.target.width)
            for y in range {
                let row = rows.row(y - range.lowerBound, as: RGBA8.self)
                turn(rotation, weights, columns: columns, of: y, into: row)
            }
        }
    }

    /// Makes some pixels of row `y`.
    private func turn(
        _ rotation: Rotation, _ weights: RotationWeights, columns: Range<Int>, of y: Int,
        into row: consuming MutableSpan<RGBA8>
    ) {
        var start = rotation.place(column: columns.lowerBound, row: y)
        let step = rotation.step
        let one = Rotation.one
        let touched = rotation.columns(
            columns, from: start, x: -one..<(width * one), y: -one..<(height * one))
        start.x += RotationWeights.half
        start.y += RotationWeights.half
        // The columns whose sixteen neighbours are all inside the image.
        var inside = rotation.columns(
            columns, from: start, x: one..<max(one, (width - 2) * one), y: one..<max(one, (height - 2) * one))
        if inside.isEmpty { inside = touched.lowerBound..<touched.lowerBound }
        for x in columns.lowerBound..<touched.lowerBound { row[x] = RGBA8(0, 0, 0, 0) }
        for x in touched.upperBound..<columns.upperBound { row[x] = RGBA8(0, 0, 0, 0) }
        let values = weights.values
        for edge in [touched.lowerBound..<inside.lowerBound, inside.upperBound..<touched.upperBound] {
            for x in edge {
                let steps = x - columns.lowerBound
                let place = Rotation.Place(x: start.x + steps * step.x, y: start.y + steps * step.y)
                row[x] = ScalarRotation.edge(
                    rows, x: place.x, y: place.y, values.span,
                    coverage: rotation.coverage(
                        Rotation.Place(x: place.x - RotationWeights.half, y: place.y - RotationWeights.half)))
            }
        }
        guard !inside.isEmpty else { return }
        let steps = inside.lowerBound - columns.lowerBound
        rows.withUnsafeBase { source in
            values.withUnsafeBufferPointer { values in
                row.withUnsafeMutableBytes { target in
                    // The columns lie within the row, and all their neighbours within the image.
                    RotationKernels.sum(
                        source, bytesPerRow: bytesPerRow, x: start.x + steps * step.x, y: start.y + steps * step.y,
                        stepX: step.x, stepY: step.y, values.baseAddress!,
                        to: target.baseAddress! + 4 * inside.lowerBound, count: inside.count)
                }
            }
        }
    }
}
