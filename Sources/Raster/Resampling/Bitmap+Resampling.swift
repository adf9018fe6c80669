extension Bitmap {
    /// The image at another size: `region` of it (nil: all of it) resampled to `size`.
    ///
    /// As `ResamplingRowSource`; large images are split across all processors.
    /// - Throws: `invalidParameter` for an empty size or a region that isn't wholly inside, `limitExceeded`,
    ///   `outOfMemory`.
    public func resampled(
        to size: PixelSize, region: PixelRegion? = nil, filter: ResamplingFilter = .automatic,
        linearLight: Bool = false
    ) throws(ImageError) -> Bitmap {
        if size == self.size, region ?? PixelRegion(size) == PixelRegion(size) { return self }
        return try resampled(
            ResamplingPlan(info, to: size, region: region, filter: filter, linearLight: linearLight))
    }

    /// The same from pixels whose places are `displacement` before the middle of their squares, less than a pixel.
    package func resampled(
        to size: PixelSize, region: PixelRegion, displacement: (x: Double, y: Double)
    ) throws(ImageError) -> Bitmap {
        guard displacement != (0, 0) else { return try resampled(to: size, region: region) }
        return try resampled(
            ResamplingPlan(
                info, to: size, region: region, filter: .automatic, linearLight: false, displacement: displacement))
    }

    private func resampled(_ plan: ResamplingPlan) throws(ImageError) -> Bitmap {
        var result = try MutableBitmap(uninitialized: plan.target)
        try result.fill(touching: byteCount) { (rows, range) throws(ImageError) in
            try resample(range, into: &rows, plan: plan)
        }
        return result.freeze()
    }

    private func resample(
        _ range: Range<Int>, into rows: inout MutablePixelRows, plan: ResamplingPlan
    ) throws(ImageError) {
        try resampler(plan, from: range.lowerBound).fill(&rows, with: range)
    }

    /// A resampler for the rows of `plan` from row `y` on.
    private func resampler(_ plan: ResamplingPlan, from y: Int) throws(ImageError) -> Resampler {
        let first = plan.vertical.targets[y].first
        let window: RowWindow
        if let boxes = plan.boxes {
            window = try RowWindow(resampler(boxes, from: first), plan: plan, origin: first)
        } else if plan.arithmetic == .bytes, plan.vertical.longest <= Self.mostRowsInPlace {
            window = try RowWindow(inPlace: self, plan: plan)
        } else {
            // Many rows are copied into the window even if they could be summed in place: reading a few rows sequentially
            // keeps up with memory, reading a little of many rows alternately doesn't.
            window = try RowWindow(BitmapRowSource(self, from: first), plan: plan, origin: first)
        }
        return try Resampler(plan, window: window)
    }

    /// The largest number of rows that can be read alternately without losing speed.
    private static let mostRowsInPlace = 8
}

/// The filter that makes a new pixel from old ones.
///
/// When an image shrinks, all filters except `area` are stretched so that every old pixel counts. Along a side that shrinks
/// to a quarter or less, whole pixels are averaged first, which leaves between two and three for each new one.
public enum ResamplingFilter: String, Hashable, Sendable, Codable, CaseIterable {
    /// `lanczos3` for another size, `bicubic` for another angle.
    case automatic
    /// The mean of exactly the area that the new pixel covers, with pixels cut by its edge weighted by the part inside.
    case area
    /// A triangle that reaches one pixel to each side.
    case bilinear
    /// Keys' cubic convolution with a = -0.5, which reaches two pixels to each side (Keys, 1981).
    case bicubic
    /// The cubic with B = C = 1/3, which reaches two pixels to each side: softer than `lanczos3`, with hardly any ringing
    /// (Mitchell and Netravali, 1988).
    case mitchell
    /// A sinc windowed by the wider sinc's main lobe, which reaches three pixels to each side (Duchon, 1979).
    case lanczos3

    /// The filter's radius, in pixels of the coarser grid.
    package var reach: Int {
        switch self {
        case .area, .bilinear: 1
        case .bicubic, .mitchell: 2
        case .automatic, .lanczos3: 3
        }
    }

    /// The number of pixels along a side to average before filtering, for new pixels `step` old ones apart:
    /// the largest that leaves at least two means for each new pixel, since fewer would blur it.
    package func box(_ step: Double) -> Int { self == .area ? 1 : Self.box(step) }

    /// The same for every filter except `area`, which averages anyway.
    package static func box(_ step: Double) -> Int { max(1, Int(step / 2)) }
}
