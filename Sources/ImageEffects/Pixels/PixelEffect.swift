internal import Raster

/// An effect written generically for both depths.
protocol PixelEffect: ImageEffect {
    /// As `apply(to:in:)`, for a bitmap with pixels of the given type.
    func apply<P: WorkingPixel>(
        to bitmap: Bitmap, as type: P.Type, in context: EffectContext
    ) throws(ImageError) -> Bitmap
}

extension PixelEffect {
    /// Calls the generic form for the bitmap's depth.
    public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
        bitmap.format == .rgba16
            ? try apply(to: bitmap, as: RGBA16.self, in: context)
            : try apply(to: bitmap, as: RGBA8.self, in: context)
    }
}

extension Bitmap {
    /// A bitmap of the same size, made row by row: `body` receives a row's number, the row, and the row to fill.
    func mapped<P: WorkingPixel>(
        as type: P.Type, alpha: AlphaMode, _ body: @Sendable (Int, Span<P>, inout MutableSpan<P>) -> Void
    ) throws(ImageError) -> Bitmap {
        try drawn(as: P.self, size: size, alpha: alpha) { y, target in body(y, rows.row(y, as: P.self), &target) }
    }

    /// A bitmap of `size`, made row by row: `body` receives a row's number and the row to fill.
    func drawn<P: WorkingPixel>(
        as type: P.Type, size: PixelSize, alpha: AlphaMode, _ body: @Sendable (Int, inout MutableSpan<P>) -> Void
    ) throws(ImageError) -> Bitmap {
        var info = info
        info.size = size
        info.alpha = alpha
        var result = try MutableBitmap(uninitialized: info)
        try result.fill(touching: 2 * result.bytesPerRow * size.height) { (rows, range) throws(ImageError) in
            for y in range {
                var target = rows.row(y - range.lowerBound, as: P.self)
                body(y, &target)
            }
        }
        return result.freeze()
    }
}

extension MutableSpan where Element: Pixel {
    /// Makes all pixels transparent.
    mutating func clear() {
        withUnsafeMutableBytes { bytes in
            // All zeros is a valid value of every pixel.
            _ = bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Copies a row of the same length.
    mutating func copy(_ source: Span<Element>) {
        precondition(source.count == count)
        withUnsafeMutableBytes { target in
            // Both have the same number of bytes, and access to the target is exclusive.
            source.withUnsafeBytes { target.copyMemory(from: $0) }
        }
    }
}

extension Bitmap {
    /// The pixels in the effects' form: RGBA with `bits` per channel, opaque or premultiplied.
    func working(_ bits: Int) throws(ImageError) -> Bitmap {
        try converted(to: bits == 16 ? .rgba16 : .rgba8, alpha: alpha.hasAlpha ? .premultiplied : AlphaMode.none)
    }
}

extension RowSource {
    /// The rows in the effects' form: RGBA with `bits` per channel, opaque or premultiplied.
    func working(_ bits: Int) throws(ImageError) -> any RowSource {
        try converted(to: bits == 16 ? .rgba16 : .rgba8, alpha: info.alpha.hasAlpha ? .premultiplied : AlphaMode.none)
    }
}
