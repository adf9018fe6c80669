#if arch(x86_64)
internal import CTesseraKernels
#endif

/// Exchanges rows and columns.
enum Transposition {
    /// Writes column x of `source` to row x of `target`, for `width` columns of `height` pixels.
    ///
    /// Strides are in bytes and may be negative; all rows that they lead to must be there.
    @inline(__always)
    static func perform<P: Pixel>(
        source: UnsafeRawPointer, sourceStride: Int, target: UnsafeMutableRawPointer, targetStride: Int,
        width: Int, height: Int, as type: P.Type
    ) {
        #if arch(x86_64)
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
