#if arch(x86_64) || arch(arm64)
internal import CTesseraKernels
#endif
package import Raster

/// Operations on rows of 8 bits, by the fastest path for this processor. All paths give identical results.
package enum CompositingKernels {
    /// As `ScalarCompositing.scale(_:by:to:)`.
    package static func scale(_ source: Span<RGBA8>, by factor: UInt16, to target: inout MutableSpan<RGBA8>) {
        #if arch(x86_64) || arch(arm64)
        withPointers(source, &target) { tessera_scale_pixels($0, $1, $2, factor) }
        #else
        ScalarCompositing.scale(source, by: factor, to: &target)
        #endif
    }

    /// As `ScalarCompositing.mask(_:by:isInverted:to:)`.
    package static func mask(
        _ source: Span<RGBA8>, by mask: Span<Gray8>, isInverted: Bool, to target: inout MutableSpan<RGBA8>
    ) {
        #if arch(x86_64) || arch(arm64)
        precondition(mask.count >= target.count)
        withPointers(source, &target) { source, target, count in
            mask.withUnsafeBytes { mask in
                // The mask has a byte for each pixel, as the line above checks.
                tessera_mask_pixels(
                    source, mask.baseAddress!.assumingMemoryBound(to: UInt8.self), target, count, isInverted ? 1 : 0)
            }
        }
        #else
        ScalarCompositing.mask(source, by: mask, isInverted: isInverted, to: &target)
        #endif
    }

    /// As `ScalarCompositing.showAlpha(of:to:)`.
    package static func showAlpha(of source: Span<RGBA8>, to target: inout MutableSpan<RGBA8>) {
        #if arch(x86_64) || arch(arm64)
        withPointers(source, &target) { tessera_show_alpha($0, $1, $2) }
        #else
        ScalarCompositing.showAlpha(of: source, to: &target)
        #endif
    }

    /// As `ScalarCompositing.lay(_:on:to:)`.
    package static func lay(_ source: Span<RGBA8>, on background: RGBA8, to target: inout MutableSpan<RGBA8>) {
        #if arch(x86_64) || arch(arm64)
        let color = [background.red, background.green, background.blue, background.alpha]
        withPointers(source, &target) { tessera_lay_on_color($0, $1, $2, color) }
        #else
        ScalarCompositing.lay(source, on: background, to: &target)
        #endif
    }

    /// As `ScalarCompositing.lay(_:by:over:at:)`.
    package static func lay(
        _ source: Span<RGBA8>, by factor: UInt16, over target: inout MutableSpan<RGBA8>, at first: Int
    ) {
        #if arch(x86_64) || arch(arm64)
        withPointers(source, &target, at: first) { tessera_lay_over($0, $1, $2, factor) }
        #else
        ScalarCompositing.lay(source, by: factor, over: &target, at: first)
        #endif
    }

    /// As `ScalarCompositing.transform(_:by:to:)`.
    package static func transform(
        _ source: Span<RGBA8>, by weights: FixedMatrix, to target: inout MutableSpan<RGBA8>
    ) {
        #if arch(x86_64) || arch(arm64)
        // A matrix has the twelve weights that are read, small enough for the sums.
        withPointers(source, &target) { tessera_transform_colors($0, $1, $2, weights.weights, Int32(weights.shift)) }
        #else
        ScalarCompositing.transform(source, by: weights, to: &target)
        #endif
    }

    #if arch(x86_64) || arch(arm64)
    /// Lends the addresses of a row and of its target, and the number of pixels that both have.
    @inline(__always) private static func withPointers(
        _ source: Span<RGBA8>, _ target: inout MutableSpan<RGBA8>, at first: Int = 0,
        _ body: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Void
    ) {
        precondition(first >= 0)
        let count = min(source.count, target.count - first)
        // A row without pixels has no address.
        guard count > 0 else { return }
        source.withUnsafeBytes { source in
            target.withUnsafeMutableBytes { target in
                // Both have at least `count` pixels of four bytes, the target starting at `first`.
                body(
                    source.baseAddress!.assumingMemoryBound(to: UInt8.self),
                    target.baseAddress!.assumingMemoryBound(to: UInt8.self) + 4 * first, count)
            }
        }
    }
    #endif
}
