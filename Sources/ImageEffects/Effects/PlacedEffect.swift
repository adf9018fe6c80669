internal import Raster

/// An effect that only crops and scales: it says where, and is drawn by that.
protocol PlacedEffect: ImageEffect {
    /// As `placement(of:in:)`, which always has an answer.
    func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement
}

extension PlacedEffect {
    /// Where the picture goes.
    public func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement? {
        try place(size, in: context)
    }

    /// Draws the picture where it goes.
    public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
        try place(bitmap.size, in: context).draw(bitmap, options: context.options)
    }
}
