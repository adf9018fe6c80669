internal import Raster

/// A colour matrix prepared for rows of pixels.
package struct PixelMatrix: Sendable {
    /// The contributions of red, green, blue and alpha to each channel, and the constants.
    private let columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
    /// Whether alpha is unchanged and no colour depends on it.
    private let keepsAlpha: Bool
    /// Whether opaque pixels stay opaque.
    package let keepsOpaque: Bool
    /// The same with integer weights, if alpha is unchanged and the weights are small enough.
    package let fixed: FixedMatrix?

    /// A matrix of 20 numbers: four rows of five.
    package init(_ rows: [Double]) {
        func column(_ index: Int) -> SIMD4<Float> {
            SIMD4(Float(rows[index]), Float(rows[5 + index]), Float(rows[10 + index]), Float(rows[15 + index]))
        }
        columns = (column(0), column(1), column(2), column(3), column(4))
        keepsAlpha = rows[15...] == [0, 0, 0, 1, 0] && rows[3] == 0 && rows[8] == 0 && rows[13] == 0
        // The smallest result for an alpha of 1, over all colours.
        let least: Double = rows[15..<18].reduce(rows[18] + rows[19]) { $0 + min(0, $1) }
        keepsOpaque = least >= 1
        let weights = Array(rows[0..<3] + rows[4...7] + rows[9...12] + rows[14...14])
        fixed = keepsAlpha ? FixedMatrix(weights) : nil
    }

    /// Transforms a row.
    func apply<P: RGBAPixel>(_ source: Span<P>, to target: inout MutableSpan<P>) {
        for x in 0..<min(source.count, target.count) {
            target[x] = P(levels: value(source[x].levels, largest: Float(P.largest)))
        }
    }

    @inline(__always) private func value(_ p: SIMD4<Float>, largest: Float) -> SIMD4<Float> {
        if keepsAlpha {
            // As in FixedMatrix.
            var sum = columns.0 * p.x + columns.1 * p.y + columns.2 * p.z + columns.4 * p.w
            sum.w = p.w
            return sum.limited(to: p.w)
        }
        let straight = p.w > 0 ? p / p.w : .zero
        let colors = columns.0 * straight.x + columns.1 * straight.y + columns.2 * straight.z
        let limited = (colors + columns.3 * (p.w / largest) + columns.4).limited(to: 1)
        var result = limited * limited.w
        result.w = limited.w
        return result * largest
    }
}

/// A colour matrix that keeps alpha, with 16-bit weights.
///
/// On premultiplied colours a constant is a multiple of alpha, and colours are clamped to alpha, so no division is
/// needed.
package struct FixedMatrix: Sendable {
    /// For red, green and blue: the weights of red, green, blue and alpha.
    package let weights: [Int16]
    /// The number of fractional bits of a weight: 10 to 14.
    package let shift: Int

    /// The matrix of these twelve weights; nil if one is too large.
    package init?(_ weights: [Double]) {
        let largest = weights.reduce(0) { max($0, $1.magnitude) }
        // So that four times 255 by the largest weight still fits.
        guard largest < 31.9 else { return nil }
        var shift = 14
        while largest * Double(1 << shift) > 32767 { shift -= 1 }
        let one = Double(1 << shift)
        self.weights = weights.map { Int16(($0 * one).rounded()) }
        self.shift = shift
    }

    /// The new value of a colour, for a matrix row that starts at index `row`.
    @inline(__always) func sum(_ p: RGBA8, row: Int) -> UInt8 {
        let products =
            Int32(weights[row]) &* Int32(p.red) &+ Int32(weights[row + 1]) &* Int32(p.green)
            &+ Int32(weights[row + 2]) &* Int32(p.blue) &+ Int32(weights[row + 3]) &* Int32(p.alpha)
        let rounded = (products &+ (Int32(1) << Int32(shift - 1))) >> Int32(shift)
        return UInt8(truncatingIfNeeded: max(0, min(Int32(p.alpha), rounded)))
    }
}
