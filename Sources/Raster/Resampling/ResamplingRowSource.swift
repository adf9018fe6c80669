/// Resizes another source's rows on demand: only the rows within the filter's reach are held.
///
/// Colours are weighted by their alpha, so transparent pixels never show; the result has the source's format, alpha
/// and profile. Straight 8-bit colours are multiplied with 6 bits to spare.
///
/// Along a side that shrinks to a quarter or less, whole pixels are averaged before filtering, as
/// `ResamplingFilter` describes: the filter alone would take several times as long for an invisible difference.
///
/// Results of 8 bits are within 1 of exact arithmetic for stored values, where a straight colour's alpha is 2 or more.
public final class ResamplingRowSource: RowSource {
    /// The rows' properties: the source's, with the new size.
    public let info: BitmapInfo
    private let resampler: Resampler
    private var next = 0
    private var failure: ImageError?

    /// Resamples `region` of `source` (nil: the part of it that is the image) to `size`.
    ///
    /// With `linearLight` the sums are in linear light, by the curve of sRGB (IEC 61966-2-1) regardless of the profile, else
    /// in stored values.
    /// - Throws: `invalidParameter` for an empty size or a region that isn't wholly inside, `limitExceeded` for a side
    ///   above 16777216 pixels or an image that exceeds the address space, `outOfMemory`.
    public init(
        _ source: any RowSource, to size: PixelSize, region: PixelRegion? = nil,
        filter: ResamplingFilter = .automatic, linearLight: Bool = false
    ) throws(ImageError) {
        let plan = try ResamplingPlan(
            source.info, to: size, region: region ?? source.coverage, filter: filter, linearLight: linearLight)
        info = plan.target
        resampler = try Resampler(plan, window: RowWindow(source, plan: plan))
    }

    /// Means of `side` × `side` pixels of `source`, the last ones of the remaining pixels: as decoders reduce by halves.
    package init(_ source: any RowSource, meansOf side: Int) throws(ImageError) {
        let plan = ResamplingPlan(source.info, across: side, down: side, isLinear: false)
        info = plan.target
        resampler = try Resampler(plan, window: RowWindow(source, plan: plan))
    }

    /// Fills as many rows as `rows` holds.
    /// - Throws: The source's error; `truncated` if it ends before the last row needed.
    public func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        if let failure { throw failure }
        let count = min(rows.count, info.size.height - next)
        var filled = 0
        while filled < count {
            do throws(ImageError) {
                var rest = rows.extracting(filled..<count)
                let made = try resampler.fillSome(&rest, with: next..<(next + count - filled))
                (filled, next) = (filled + made, next + made)
            } catch {
                // Rows made before the error are delivered; the next call throws.
                failure = error
                if filled > 0 { return filled }
                throw error
            }
        }
        return count
    }
}
