extension Bitmap {
    /// The picture in another format or with another meaning of alpha; as `RowSource.converted(to:alpha:background:)`.
    ///
    /// Without `alpha`, alpha keeps its meaning where the format has any; without `format`, the format stays.
    /// - Throws: `outOfMemory`.
    public func converted(
        to format: PixelFormat? = nil, alpha: AlphaMode? = nil, background: RGBA8 = RGBA8(255, 255, 255)
    ) throws(ImageError) -> Bitmap {
        let (format, alpha) = (format ?? self.format, alpha ?? self.alpha)
        let wanted = BitmapInfo(size: size, format: format, alpha: alpha, profile: profile)
        guard wanted != info else { return self }
        if AlphaStep(from: self.alpha, to: wanted.alpha) == .keep {
            guard format != self.format else { return withMeaning(alpha: wanted.alpha, profile: profile) }
            var result = try MutableBitmap(uninitialized: wanted)
            var target = result.mutableRows
            target.convert(rows)
            return result.freeze()
        }
        return try makeRowSource().converted(to: format, alpha: alpha, background: background).makeBitmap()
    }
}
