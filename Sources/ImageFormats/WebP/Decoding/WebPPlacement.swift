#if WebP
internal import Raster

/// Where a picture's rows go: which part of it libwebp decodes, and where that lies in the rows that are delivered.
struct WebPPlacement {
    /// What is delivered.
    let size: PixelSize
    /// The rows and columns delivered that the picture covers. A frame may be smaller than its canvas.
    let frameRows: Range<Int>
    let frameColumns: Range<Int>
    /// The part of the picture that is decoded; nil where none of it is wanted.
    let decodedPart: PixelRect?
    /// The rows and columns of that part that are wanted.
    let decodedRows: Range<Int>
    let decodedColumns: Range<Int>
    /// Whether the last row wanted is the file's last.
    let reachesEnd: Bool
    /// What decoding takes.
    let workingByteCount: Int

    init(_ frame: WebPFrame, plan: DecodingPlan, canvas: PixelSize, isAnimated: Bool) {
        let region = plan.region ?? PixelRect(canvas)
        let place = frame.animation.region
        let isLossless = frame.picture?.isLossless ?? false
        size = region.size
        reachesEnd = !isAnimated && region.y + region.height == canvas.height

        let columns = Self.overlap(region.x, region.width, place.x, place.width)
        let rows = Self.overlap(region.y, region.height, place.y, place.height)
        guard !columns.isEmpty, !rows.isEmpty else {
            (frameRows, frameColumns, decodedRows, decodedColumns) = (0..<0, 0..<0, 0..<0, 0..<0)
            (decodedPart, workingByteCount) = (nil, 0)
            return
        }
        frameRows = (rows.lowerBound - region.y)..<(rows.upperBound - region.y)
        frameColumns = (columns.lowerBound - region.x)..<(columns.upperBound - region.x)
        // Chroma is interpolated between pairs of pixels, and libwebp takes parts of lossy pictures from even pixels on:
        // with a pair more on each side the pixels are those of the whole picture.
        let margin = isLossless ? 0 : 2
        let wide = Self.widened(columns, place.x, place.width, by: margin)
        let high = Self.widened(rows, place.y, place.height, by: margin)
        decodedPart = PixelRect(x: wide.lowerBound, y: high.lowerBound, width: wide.count, height: high.count)
        decodedColumns = Self.shifted(columns, by: -place.x - wide.lowerBound)
        decodedRows = Self.shifted(rows, by: -place.y - high.lowerBound)
        // libwebp keeps all pixels of a lossless picture and all alpha of a lossy one.
        let kept = isLossless ? 4 : frame.hasAlphaChunk ? 1 : 0
        workingByteCount = place.size.pixelCount * kept + wide.count * high.count * 4
    }

    /// What two stretches have in common.
    private static func overlap(_ a: Int, _ aCount: Int, _ b: Int, _ bCount: Int) -> Range<Int> {
        let (start, end) = (max(a, b), min(a + aCount, b + bCount))
        return start..<max(start, end)
    }

    /// Canvas columns or rows as those of a picture that begins at `origin`, with a margin, from an even one on.
    private static func widened(_ range: Range<Int>, _ origin: Int, _ count: Int, by margin: Int) -> Range<Int> {
        let start = max(0, range.lowerBound - origin - margin)
        return (margin == 0 ? start : start / 2 * 2)..<min(count, range.upperBound - origin + margin)
    }

    private static func shifted(_ range: Range<Int>, by offset: Int) -> Range<Int> {
        (range.lowerBound + offset)..<(range.upperBound + offset)
    }
}
#endif
