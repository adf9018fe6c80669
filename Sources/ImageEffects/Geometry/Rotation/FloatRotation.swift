internal import Raster

/// Rotates images in floating point: for 16 bits, linear light, and filters with a long reach.
///
/// Works in tiles: the part of the image that a tile needs is converted to floating point, with edge pixels repeated
/// beyond the image, and summed from there.
struct FloatRotation: Sendable {
    private static let tile = PixelSize(width: 64, height: 32)
    /// The number of positions between two pixels with stored weights, between which weights are interpolated.
    private static let phases = 1024

    private let rotation: Rotation
    private let isLinear: Bool
    /// The number of pixels summed along a side.
    private let taps: Int
    /// The weights of each phase and of one more, padded with 0.
    private let weights: [SIMD8<Float>]

    init(_ rotation: Rotation, filter: ResamplingFilter, isLinear: Bool) {
        self.rotation = rotation
        self.isLinear = isLinear
        let reach = filter.reach
        taps = 2 * reach
        weights = (0...Self.phases).map { phase in
            let place = Double(phase) / Double(Self.phases)
            let values = ((1 - reach)...reach).map { AxisWeights.value(of: filter, at: Double($0) - place) }
            let sum = values.reduce(0, +)
            var weights = SIMD8<Float>.zero
            for (index, value) in values.enumerated() { weights[index] = Float(value / sum) }
            return weights
        }
    }

    /// Makes the rotated rows in `range`.
    func turn(_ bitmap: Bitmap, into rows: inout MutablePixelRows, _ range: Range<Int>) {
        let width = rotation.target.width
        let largest: Float = isLinear ? 1 : bitmap.format == .rgba16 ? 65535 : 255
        var part = FloatPart()
        var band = [SIMD4<Float>](repeating: .zero, count: width * min(range.count, Self.tile.height))
        for top in stride(from: range.lowerBound, to: range.upperBound, by: Self.tile.height) {
            let lines = top..<min(top + Self.tile.height, range.upperBound)
            for left in stride(from: 0, to: width, by: Self.tile.width) {
                let columns = left..<min(left + Self.tile.width, width)
                part.fill(bitmap, rotation, columns: columns, rows: lines, reach: taps / 2, isLinear: isLinear)
                for y in lines {
                    // A constant number of iterations lets the compiler unroll the loops.
                    switch taps {
                    case 2: sum(2, part, columns, y, largest: largest, to: &band, at: (y - top) * width)
                    case 4: sum(4, part, columns, y, largest: largest, to: &band, at: (y - top) * width)
                    default: sum(6, part, columns, y, largest: largest, to: &band, at: (y - top) * width)
                    }
                }
            }
            for y in lines { finish(band.span, at: (y - top) * width, row: y - range.lowerBound, of: &rows) }
        }
    }

    @inline(__always)
    private func sum(
        _ taps: Int, _ part: borrowing FloatPart, _ columns: Range<Int>, _ y: Int, largest: Float,
        to band: inout [SIMD4<Float>], at offset: Int
    ) {
        let (start, step, one) = (rotation.place(column: columns.lowerBound, row: y), rotation.step, Rotation.one)
        let touched = rotation.columns(
            columns, from: start, x: -one..<(rotation.source.width * one), y: -one..<(rotation.source.height * one))
        var target = band.mutableSpan
        for x in columns where !touched.contains(x) { target[offset + x] = .zero }
        let (weights, pixels, width) = (weights.span, part.pixels.span, part.width)
        for x in touched {
            let steps = x - columns.lowerBound
            let place = Rotation.Place(x: start.x + steps * step.x, y: start.y + steps * step.y)
            let (across, down) = (Self.interpolated(weights, at: place.x), Self.interpolated(weights, at: place.y))
            let (left, top) = ((place.x >> 32) - taps / 2 + 1 - part.x, (place.y >> 32) - taps / 2 + 1 - part.y)
            precondition(left >= 0 && top >= 0 && left + taps <= width && (top + taps) * width <= pixels.count)
            var sum = SIMD4<Float>.zero
            for row in 0..<taps {
                var line = SIMD4<Float>.zero
                // Within the part, as the line above checks.
                for column in 0..<taps {
                    line += pixels[unchecked: (top + row) * width + left + column] * across[column]
                }
                sum += line * down[row]
            }
            // Limits overshoot, so that an opaque image stays at most opaque, at the edge too.
            var limit = SIMD4(repeating: min(largest, sum.w))
            limit.replace(with: 0, where: limit .< 0)
            sum.replace(with: 0, where: sum .< 0)
            sum.replace(with: limit, where: sum .> limit)
            target[offset + x] = sum * (Float(rotation.coverage(place)) * (1 / Float(Rotation.fullCoverage)))
        }
    }

    @inline(__always)
    private static func interpolated(_ weights: Span<SIMD8<Float>>, at place: Int) -> SIMD8<Float> {
        let position = Float(place & (Rotation.one - 1)) * (Float(phases) / Float(Rotation.one))
        let phase = min(Int(position), phases - 1)
        return weights[phase] + (weights[phase + 1] - weights[phase]) * (position - Float(phase))
    }

    private func finish(
        _ band: Span<SIMD4<Float>>, at offset: Int, row y: Int, of rows: inout MutablePixelRows
    ) {
        let (isLinear, width) = (isLinear, rotation.target.width)
        band.extracting(offset..<(offset + width)).withUnsafeBytes { values in
            // Four values for each of the row's pixels.
            let values = values.baseAddress!.assumingMemoryBound(to: Float.self)
            rows.finish(values, to: y, alpha: .premultiplied, isLinear: isLinear)
        }
    }
}

/// A part of an image in floating point, with the image's edge pixels repeated where the part extends beyond it.
struct FloatPart: ~Copyable {
    /// The part's first column in the image.
    private(set) var x = 0
    /// The part's first row in the image.
    private(set) var y = 0
    /// The number of columns.
    private(set) var width = 0
    /// In row order.
    private(set) var pixels: [SIMD4<Float>] = []

    init() {}

    /// Fills the part with the pixels that a tile of the rotated image needs, `reach` to each side.
    mutating func fill(
        _ bitmap: Bitmap, _ rotation: Rotation, columns: Range<Int>, rows: Range<Int>, reach: Int, isLinear: Bool
    ) {
        var (xs, ys): ([Int], [Int]) = ([], [])
        for column in [columns.lowerBound, columns.upperBound - 1] {
            for row in [rows.lowerBound, rows.upperBound - 1] {
                let place = rotation.place(column: column, row: row)
                xs.append(place.x >> Rotation.fractionBits)
                ys.append(place.y >> Rotation.fractionBits)
            }
        }
        // A tile outside the image reads nothing.
        guard xs.min()! <= bitmap.width, ys.min()! <= bitmap.height, xs.max()! >= -1, ys.max()! >= -1 else { return }
        // Steps along a row are rounded, so one more pixel is read on each side. Pixels more than one off the image
        // aren't read.
        let (left, right) = (max(-2, xs.min()! - 1) - reach + 1, min(bitmap.width, xs.max()! + 1) + reach)
        let (top, bottom) = (max(-2, ys.min()! - 1) - reach + 1, min(bitmap.height, ys.max()! + 1) + reach)
        (x, y) = (left, top)
        width = right - left + 1
        let count = width * (bottom - top + 1)
        if pixels.count < count { pixels = Array(repeating: .zero, count: count) }
        let first = min(max(0, left), bitmap.width - 1)
        let last = min(max(0, right), bitmap.width - 1)
        for row in top...bottom {
            let start = (row - top) * width
            pixels.withUnsafeMutableBytes { bytes in
                // The part's row has `width` pixels, which include those from `first` to `last`.
                let target = (bytes.baseAddress! + (start + max(0, first - left)) * 16).assumingMemoryBound(
                    to: Float.self)
                FloatRows.fill(
                    target, from: bitmap.rows, min(max(0, row), bitmap.height - 1), columns: first..<(last + 1),
                    alpha: bitmap.alpha, isLinear: isLinear)
            }
            var line = pixels.mutableSpan
            let (leftmost, rightmost) = (line[start + first - left], line[start + last - left])
            for x in left..<max(left, first) { line[start + x - left] = leftmost }
            for x in min(right + 1, last + 1)..<(right + 1) { line[start + x - left] = rightmost }
        }
    }
}
