internal import Raster

/// The pixels of the effects' bitmaps, opaque or premultiplied, and operations on rows of them.
///
/// All rows of a call have the same length.
protocol WorkingPixel: Pixel {
    /// The pixel type of a mask of the same depth.
    associatedtype Gray: Pixel

    /// Premultiplies a straight colour.
    init(premultiplying color: RGBA8)

    /// Multiplies all channels by `factor`, 0 to 1.
    static func scale(_ source: Span<Self>, by factor: Double, to target: inout MutableSpan<Self>)

    /// Multiplies all channels by a mask, or by its inverse.
    static func mask(_ source: Span<Self>, by mask: Span<Gray>, isInverted: Bool, to target: inout MutableSpan<Self>)

    /// Makes opaque grey pixels of the alphas.
    static func showAlpha(of source: Span<Self>, to target: inout MutableSpan<Self>)

    /// Composites pixels onto a premultiplied colour.
    static func lay(_ source: Span<Self>, on background: Self, to target: inout MutableSpan<Self>)

    /// Lays pixels, their alpha multiplied by `opacity`, over those of the target from `x` on, as far as they fit.
    static func lay(
        _ source: Span<Self>, opacity: Double, mode: BlendMode, over target: inout MutableSpan<Self>, at x: Int)

    /// Applies a colour matrix to every pixel.
    static func transform(_ source: Span<Self>, by matrix: PixelMatrix, to target: inout MutableSpan<Self>)

    /// Lays a straight colour over each pixel within its alpha.
    static func tint(
        _ source: Span<Self>, with color: RGBA8, mode: BlendMode, to target: inout MutableSpan<Self>)
}

extension RGBA8: WorkingPixel {
    typealias Gray = Gray8

    init(premultiplying color: RGBA8) {
        let alpha = UInt16(color.alpha)
        func share(_ value: UInt8) -> UInt8 { UInt8((UInt16(value) * alpha + 127) / 255) }
        self.init(share(color.red), share(color.green), share(color.blue), color.alpha)
    }

    static func scale(_ source: Span<RGBA8>, by factor: Double, to target: inout MutableSpan<RGBA8>) {
        CompositingKernels.scale(source, by: ScalarCompositing.factor16(factor), to: &target)
    }

    static func mask(
        _ source: Span<RGBA8>, by mask: Span<Gray8>, isInverted: Bool, to target: inout MutableSpan<RGBA8>
    ) {
        CompositingKernels.mask(source, by: mask, isInverted: isInverted, to: &target)
    }

    static func showAlpha(of source: Span<RGBA8>, to target: inout MutableSpan<RGBA8>) {
        CompositingKernels.showAlpha(of: source, to: &target)
    }

    static func lay(_ source: Span<RGBA8>, on background: RGBA8, to target: inout MutableSpan<RGBA8>) {
        CompositingKernels.lay(source, on: background, to: &target)
    }

    static func lay(
        _ source: Span<RGBA8>, opacity: Double, mode: BlendMode, over target: inout MutableSpan<RGBA8>, at x: Int
    ) {
        guard mode == .normal else {
            return PixelBlending.lay(source, opacity: Float(opacity), mode: mode, over: &target, at: x)
        }
        CompositingKernels.lay(source, by: ScalarCompositing.factor16(opacity), over: &target, at: x)
    }

    static func transform(_ source: Span<RGBA8>, by matrix: PixelMatrix, to target: inout MutableSpan<RGBA8>) {
        if let weights = matrix.fixed {
            CompositingKernels.transform(source, by: weights, to: &target)
        } else {
            matrix.apply(source, to: &target)
        }
    }

    static func tint(
        _ source: Span<RGBA8>, with color: RGBA8, mode: BlendMode, to target: inout MutableSpan<RGBA8>
    ) {
        PixelBlending.tint(source, with: color, mode: mode, to: &target)
    }
}

extension RGBA16: WorkingPixel {
    typealias Gray = Gray16

    init(premultiplying color: RGBA8) {
        let alpha = UInt32(color.alpha)
        func share(_ value: UInt8) -> UInt16 { UInt16((UInt32(value) * alpha * 257 + 127) / 255) }
        self.init(share(color.red), share(color.green), share(color.blue), UInt16(alpha) * 257)
    }

    static func scale(_ source: Span<RGBA16>, by factor: Double, to target: inout MutableSpan<RGBA16>) {
        ScalarCompositing.scale(source, by: ScalarCompositing.factor32(factor), to: &target)
    }

    static func mask(
        _ source: Span<RGBA16>, by mask: Span<Gray16>, isInverted: Bool, to target: inout MutableSpan<RGBA16>
    ) {
        ScalarCompositing.mask(source, by: mask, isInverted: isInverted, to: &target)
    }

    static func showAlpha(of source: Span<RGBA16>, to target: inout MutableSpan<RGBA16>) {
        ScalarCompositing.showAlpha(of: source, to: &target)
    }

    static func lay(_ source: Span<RGBA16>, on background: RGBA16, to target: inout MutableSpan<RGBA16>) {
        ScalarCompositing.lay(source, on: background, to: &target)
    }

    static func lay(
        _ source: Span<RGBA16>, opacity: Double, mode: BlendMode, over target: inout MutableSpan<RGBA16>, at x: Int
    ) {
        guard mode == .normal else {
            return PixelBlending.lay(source, opacity: Float(opacity), mode: mode, over: &target, at: x)
        }
        ScalarCompositing.lay(source, by: ScalarCompositing.factor32(opacity), over: &target, at: x)
    }

    static func transform(_ source: Span<RGBA16>, by matrix: PixelMatrix, to target: inout MutableSpan<RGBA16>) {
        matrix.apply(source, to: &target)
    }

    static func tint(
        _ source: Span<RGBA16>, with color: RGBA8, mode: BlendMode, to target: inout MutableSpan<RGBA16>
    ) {
        PixelBlending.tint(source, with: color, mode: mode, to: &target)
    }
}
