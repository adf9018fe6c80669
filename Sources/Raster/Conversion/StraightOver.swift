/// The over operator of Porter and Duff for straight alpha, one row at a time: of alphas a over b, the result's is
/// a + b (1 - a), its colour the mean of both colours weighted by a and b (1 - a). Rounded to the nearest value.
package enum StraightOver {
    /// Draws `source` over `target` from column `offset` on.
    package static func draw(_ source: Span<RGBA8>, over target: inout MutableSpan<RGBA8>, at offset: Int) {
        drawPixels(source, over: &target, at: offset)
    }

    /// Draws `source` over `target` from column `offset` on.
    package static func draw(_ source: Span<RGBA16>, over target: inout MutableSpan<RGBA16>, at offset: Int) {
        drawPixels(source, over: &target, at: offset)
    }

    // Separate functions for each type, so that other modules get specialised code.
    private static func drawPixels<P: RGBAPixel>(
        _ source: Span<P>, over target: inout MutableSpan<P>, at offset: Int
    ) {
        let one = P.CubeSum(truncatingIfNeeded: P.Channel.max)
        for index in source.indices {
            let pixel = source[index]
            let x = offset &+ index
            if pixel.alpha == .max {
                target[x] = pixel
            } else if pixel.alpha > 0 {
                let below = target[x]
                // Weights in units of the square of the largest value; a sum of colours is below twice its cube.
                let alpha = P.CubeSum(truncatingIfNeeded: pixel.alpha)
                let front = alpha &* one
                let back = P.CubeSum(truncatingIfNeeded: below.alpha) &* (one &- alpha)
                let total = front &+ back
                target[x] = P(
                    mean(pixel.red, front, below.red, back, total), mean(pixel.green, front, below.green, back, total),
                    mean(pixel.blue, front, below.blue, back, total),
                    P.Channel(truncatingIfNeeded: (total &+ one / 2) / one))
            }
        }
    }

    @inline(__always)
    private static func mean<C: FixedWidthInteger, Sum: FixedWidthInteger>(
        _ a: C, _ front: Sum, _ b: C, _ back: Sum, _ total: Sum
    ) -> C {
        let weighted = Sum(truncatingIfNeeded: a) &* front &+ Sum(truncatingIfNeeded: b) &* back
        return C(truncatingIfNeeded: (weighted &+ total / 2) / total)
    }
}
