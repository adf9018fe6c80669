extension Bitmap {
    /// The picture at another size: `region` of it (nil: all of it) resampled to `size`.
    ///
    /// As `ResamplingRowSource`; large pictures are worked on by all processors.
    /// - Throws: `invalidParameter` for an empty size or a region that isn't wholly inside, `limitExceeded`,
    ///   `outOfMemory`.
    public func resampled(
        to size: PixelSize, region: PixelRegion? = nil, filter: ResamplingFilter = .automatic,
        linearLight: Bool = false
    ) throws(ImageError) -> Bitmap {
        if size == self.size, region ?? PixelRegion(size) == PixelRegion(size) { return self }
        return try ResamplingRowSource(
            makeRowSource(), to: size, region: region, filter: filter, linearLight: linearLight
        ).makeBitmap()
    }
}
