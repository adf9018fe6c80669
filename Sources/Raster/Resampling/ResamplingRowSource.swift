/// Rows of another source at another size, made as they are asked for: only the rows that the filter reaches are held.
///
/// Colours count by their alpha, so that what is transparent never shows; the result has the source's format, alpha
/// and profile. Straight 8-bit colours are multiplied with 6 bits to spare.
///
/// Along a side that shrinks to a quarter or less, means of whole pixels are made first and filtered then, as
/// `ResamplingFilter` says: the filter alone would take several times as long for a difference that can't be seen.
///
/// Results of 8 bits are within 1 of exact arithmetic for stored values, where a straight colour's alpha is 2 or more.
public final class ResamplingRowSource: RowSource {
    /// What the rows are: the source's, but of the new size.
    public let info: BitmapInfo
    private let resampler: Resampler
    private var next = 0
    private var failure: ImageError?

    /// Resamples `region` of `source` (nil: what of it is the image) to `size`.
    ///
    /// With `linearLight` what is summed is light, by the curve of sRGB (IEC 61966-2-1) whatever the profile, else the
    /// stored values.
    /// - Throws: `invalidParameter` for an empty size or a region that isn't wholly inside, `limitExceeded` for a side
    ///   above 16777216 pixels or a picture larger than memory can be, `outOfMemory`.
    public init(
        _ source: any RowSource, to size: PixelSize, region: PixelRegion? = nil,
        filter: ResamplingFilter = .automatic, linearLight: Bool = false
    ) throws(ImageError) {
        let plan = try ResamplingPlan(
            source.info, to: size, region: region ?? source.coverage, filter: filter, linearLight: linearLight)
        info = plan.target
        resampler = try Resampler(plan, window: RowWindow(source, plan: plan))
    }

    /// Means of `side` × `side` pixels of `source`, the last ones of those that are left: as decoders reduce by halves.
    package init(_ source: any RowSource, meansOf side: Int) throws(ImageError) {
        let plan = ResamplingPlan(source.info, across: side, down: side, isLinear: false)
        info = plan.target
        resampler = try Resampler(plan, window: RowWindow(source, plan: plan))
    }

    /// Fills as many rows as there is room for.
    /// - Throws: What the source throws; `truncated` when it ends before its last row that counts.
    public func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        if let failure { throw failure }
        let count = min(rows.count, info.size.height - next)
        for index in 0..<count {
            do throws(ImageError) {
                var row = rows.extracting(index..<(index + 1))
                try resampler.fill(&row, with: next..<(next + 1))
            } catch {
                // The rows made before are delivered; the next call throws.
                failure = error
                if index > 0 { return index }
                throw error
            }
            next += 1
        }
        return count
    }
}
