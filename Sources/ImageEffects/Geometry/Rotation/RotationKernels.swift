#if arch(x86_64)
internal import CTesseraKernels
#endif

/// Sums of turned pixels of eight bits, by whatever is fastest here. Every path gives the same results.
package enum RotationKernels {
    /// As `ScalarRotation.sum`.
    package static func sum(
        _ source: UnsafeRawPointer, bytesPerRow: Int, x: Int, y: Int, stepX: Int, stepY: Int,
        _ weights: UnsafePointer<Int16>, to target: UnsafeMutableRawPointer, count: Int
    ) {
        #if arch(x86_64)
        tessera_turn_pixels(
            source, bytesPerRow, Int64(x), Int64(y), Int64(stepX), Int64(stepY), weights, target, count)
        #else
        ScalarRotation.sum(
            source, bytesPerRow: bytesPerRow, x: x, y: y, stepX: stepX, stepY: stepY, weights, to: target, count: count)
        #endif
    }
}
