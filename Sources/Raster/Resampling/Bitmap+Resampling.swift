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
        let plan = try ResamplingPlan(info, to: size, region: region, filter: filter, linearLight: linearLight)
        var result = try MutableBitmap(uninitialized: plan.target)
        try result.fill(touching: byteCount) { (rows, range) throws(ImageError) in
            try resample(range, into: &rows, plan: plan)
        }
        return result.freeze()
    }

    private func resample(
        _ range: Range<Int>, into rows: inout MutablePixelRows, plan: ResamplingPlan
    ) throws(ImageError) {
        if case .bytes = plan.arithmetic, plan.vertical.longest <= Self.mostRowsInPlace {
            return try Resampler(plan, window: RowWindow(inPlace: self, plan: plan)).fill(&rows, with: range)
        }
        // Many rows are copied into the window even where they could be summed in place: reading a few rows from the
        // start to the end keeps up with memory, reading a little of many rows at a time doesn't.
        let first = plan.vertical.targets[range.lowerBound].first
        let window = try RowWindow(BitmapRowSource(self, from: first), plan: plan, origin: first)
        try Resampler(plan, window: window).fill(&rows, with: range)
    }

    /// So many rows can be read at a time without losing speed.
    private static let mostRowsInPlace = 8
}
