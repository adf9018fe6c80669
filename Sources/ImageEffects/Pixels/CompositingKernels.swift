package import Raster

/// What is done to rows of 8 bits often enough to have vectors for. Every path gives the same results.
package enum CompositingKernels {
    /// As `ScalarCompositing.scale(_:by:to:)`.
    package static func scale(_ source: Span<RGBA8>, by factor: UInt16, to target: inout MutableSpan<RGBA8>) {
        ScalarCompositing.scale(source, by: factor, to: &target)
    }

    /// As `ScalarCompositing.mask(_:by:isInverted:to:)`.
    package static func mask(
        _ source: Span<RGBA8>, by mask: Span<Gray8>, isInverted: Bool, to target: inout MutableSpan<RGBA8>
    ) {
        ScalarCompositing.mask(source, by: mask, isInverted: isInverted, to: &target)
    }

    /// As `ScalarCompositing.showAlpha(of:to:)`.
    package static func showAlpha(of source: Span<RGBA8>, to target: inout MutableSpan<RGBA8>) {
        ScalarCompositing.showAlpha(of: source, to: &target)
    }

    /// As `ScalarCompositing.lay(_:on:to:)`.
    package static func lay(_ source: Span<RGBA8>, on background: RGBA8, to target: inout MutableSpan<RGBA8>) {
        ScalarCompositing.lay(source, on: background, to: &target)
    }

    /// As `ScalarCompositing.lay(_:by:over:at:)`.
    package static func lay(
        _ source: Span<RGBA8>, by factor: UInt16, over target: inout MutableSpan<RGBA8>, at first: Int
    ) {
        ScalarCompositing.lay(source, by: factor, over: &target, at: first)
    }

    /// As `ScalarCompositing.transform(_:by:to:)`.
    package static func transform(
        _ source: Span<RGBA8>, by weights: FixedMatrix, to target: inout MutableSpan<RGBA8>
    ) {
        ScalarCompositing.transform(source, by: weights, to: &target)
    }
}
