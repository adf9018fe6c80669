package import Raster

/// How large what is made of a picture may be.
package struct RenderingLimits: Hashable, Sendable {
    /// Columns of a result before it is turned.
    package var maximumWidth: Int
    /// Its rows.
    package var maximumHeight: Int
    /// Its pixels.
    package var maximumArea: Int
    /// How many times the whole picture's width and height a result may have. At 1 or less nothing is enlarged.
    package var maximumUpscaling: Double
    /// Pixels of a canvas that holds a picture turned by an angle other than 90, 180 or 270 degrees.
    package var maximumRotatedArea: Int

    /// Limits of these sizes.
    package init(
        maximumWidth: Int, maximumHeight: Int, maximumArea: Int, maximumUpscaling: Double, maximumRotatedArea: Int
    ) {
        self.maximumWidth = maximumWidth
        self.maximumHeight = maximumHeight
        self.maximumArea = maximumArea
        self.maximumUpscaling = maximumUpscaling
        self.maximumRotatedArea = maximumRotatedArea
    }

    /// 50 megapixels, 16384 on a side, four times the picture's own width and height, 25 megapixels when turned.
    package static let standard = RenderingLimits(
        maximumWidth: 16384, maximumHeight: 16384, maximumArea: 50_000_000, maximumUpscaling: 4,
        maximumRotatedArea: 25_000_000)

    /// Whether results may be larger than the part that they are made of.
    package var allowsUpscaling: Bool { maximumUpscaling > 1 }

    /// Those for a picture of `size`, which are the ones to declare: `maximumUpscaling` times its own sides where that is
    /// less.
    package func limits(for size: PixelSize) -> RenderingLimits {
        guard allowsUpscaling else { return self }
        let factor = min(maximumUpscaling, 1e6)
        var limits = self
        limits.maximumWidth = Int(min(Double(maximumWidth), Double(size.width) * factor))
        limits.maximumHeight = Int(min(Double(maximumHeight), Double(size.height) * factor))
        return limits
    }
}
