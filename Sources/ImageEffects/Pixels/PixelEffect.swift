internal import Raster

/// An effect that is written once for both depths.
protocol PixelEffect: ImageEffect {
    /// As `apply(to:in:)`; the bitmap has pixels of the type.
    func apply<P: WorkingPixel>(
        to bitmap: Bitmap, as type: P.Type, in context: EffectContext
    ) throws(ImageError) -> Bitmap
}

extension PixelEffect {
    /// What becomes of `bitmap`.
    public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
        bitmap.format == .rgba16
            ? try apply(to: bitmap, as: RGBA16.self, in: context)
            : try apply(to: bitmap, as: RGBA8.self, in: context)
    }
}

extension Bitmap {
    /// A bitmap of the same size, made row by row: `body` is given a row's number, the row, and where the new one goes.
    func mapped<P: WorkingPixel>(
        as type: P.Type, alpha: AlphaMode, _ body: @Sendable (Int, Span<P>, inout MutableSpan<P>) -> Void
    ) throws(ImageError) -> Bitmap {
        try drawn(as: P.self, size: size, alpha: alpha) { y, target in body(y, rows.row(y, as: P.self), &target) }
    }

    /// A bitmap of `size`, made row by row: `body` is given a row's number and where the new one goes.
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
            // 0 is a value of every pixel's channels.
            _ = bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Copies a row of the same length.
    mutating func copy(_ source: Span<Element>) {
        precondition(source.count == count)
        withUnsafeMutableBytes { target in
            // As many bytes as there are; nobody else has the target's.
            source.withUnsafeBytes { target.copyMemory(from: $0) }
        }
    }
}

extension Bitmap {
    /// The pixels as effects take them: RGBA of `bits` to a channel, opaque or premultiplied.
    func working(_ bits: Int) throws(ImageError) -> Bitmap {
        try converted(to: bits == 16 ? .rgba16 : .rgba8, alpha: alpha.hasAlpha ? .premultiplied : AlphaMode.none)
    }
}

extension RowSource {
    /// The rows as effects take them: RGBA of `bits` to a channel, opaque or premultiplied.
    func working(_ bits: Int) throws(ImageError) -> any RowSource {
        try converted(to: bits == 16 ? .rgba16 : .rgba8, alpha: info.alpha.hasAlpha ? .premultiplied : AlphaMode.none)
    }
}
