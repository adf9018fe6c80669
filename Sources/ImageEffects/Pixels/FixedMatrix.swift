internal import Raster

/// A colour matrix that leaves alpha alone, with weights of 16 bits.
///
/// On premultiplied colours a constant is a share of alpha, and no colour may exceed it: so there is nothing to divide.
package struct FixedMatrix: Sendable {
    /// For red, green and blue: the weights of red, green, blue and alpha.
    package let weights: [Int16]
    /// How many bits of a weight are a fraction: 10 to 14.
    package let shift: Int

    /// The matrix of these twelve weights; nil where one is too large.
    package init?(_ weights: [Double]) {
        let largest = weights.reduce(0) { max($0, $1.magnitude) }
        // So that four times 255 by the largest weight still has 16 bits.
        guard largest < 31.9 else { return nil }
        var shift = 14
        while largest * Double(1 << shift) > 32767 { shift -= 1 }
        let one = Double(1 << shift)
        self.weights = weights.map { Int16(($0 * one).rounded()) }
        self.shift = shift
    }

    /// One colour of a pixel.
    @inline(__always) func sum(_ p: RGBA8, row: Int) -> UInt8 {
        let products =
            Int32(weights[row]) &* Int32(p.red) &+ Int32(weights[row + 1]) &* Int32(p.green)
            &+ Int32(weights[row + 2]) &* Int32(p.blue) &+ Int32(weights[row + 3]) &* Int32(p.alpha)
        let rounded = (products &+ (Int32(1) << Int32(shift - 1))) >> Int32(shift)
        return UInt8(truncatingIfNeeded: max(0, min(Int32(p.alpha), rounded)))
    }
}
