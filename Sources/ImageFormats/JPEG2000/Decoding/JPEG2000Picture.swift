#if JPEG2000
internal import Raster

/// The image in a JPEG 2000 file, decoded by rows of tiles.
final class JPEG2000Picture: WholePicture {
    let header: ImageHeader
    private let source: Source
    private let options: DecodingOptions
    private let codestream: JPEG2000Codestream
    private let channels: JPEG2000Channels
    private var parts: JPEG2000TileParts?
    private var reader: JPEG2000RowReader?

    /// Reads the header.
    init(_ source: Source, options: DecodingOptions) throws(ImageError) {
        let file = try JPEG2000File(source, options: options)
        guard options.imageIndex ?? 0 == 0 else {
            throw ImageError(
                .invalidParameter, "the JPEG 2000 file has 1 image and none of index \(options.imageIndex!)")
        }
        self.source = source
        self.options = options
        codestream = file.codestream
        channels = file.channels
        header = file.header
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        let reduction = reduction(for: plan)
        let window = window(plan.region, reduction: reduction)
        let info = BitmapInfo(
            size: window.size, format: channels.pixelFormat(maximumBits: options.maximumBitsPerChannel),
            alpha: channels.alpha == nil ? .none : .straight,
            profile: channels.space == .cmyk ? .sRGB : header.profile)
        let parts: JPEG2000TileParts
        if let known = self.parts { parts = known } else { parts = try JPEG2000TileParts(codestream, source) }
        self.parts = parts
        reader = try JPEG2000RowReader(
            source, codestream, parts, channels, window: window, reduction: reduction, info: info, options: options)
        return info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard let reader else { throw ImageError(.invalidParameter, "the JPEG 2000 decoder was not started") }
        return try reader.read(into: &rows)
    }

    /// The number of halvings that leave enough pixels for the plan, and the region's edges between pixels.
    private func reduction(for plan: DecodingPlan) -> Int {
        let least = plan.leastSize(of: header.storedSize)
        let whole = codestream.grid.pixels(of: codestream.grid.image)
        let full = window(plan.region, reduction: 0)
        func fits(_ part: Range<Int>, _ all: Range<Int>, _ reduced: Range<Int>, _ least: Int, _ step: Int) -> Bool {
            // On the grid, a halved pixel is at an even place; where the image isn't, counted from its first pixel.
            func isBetween(_ place: Int) -> Bool {
                place == all.upperBound || place % step == 0 || (place - all.lowerBound) % step == 0
            }
            return isBetween(part.lowerBound) && isBetween(part.upperBound) && reduced.count >= max(1, least)
        }
        var reduction = 0
        while reduction < min(codestream.levelCount, 30) {
            let step = 1 << (reduction + 1)
            let reduced = window(plan.region, reduction: reduction + 1)
            guard fits(full.x, whole.x, reduced.x, least.width, step),
                fits(full.y, whole.y, reduced.y, least.height, step)
            else { break }
            reduction += 1
        }
        return reduction
    }

    /// The pixels of the image halved `reduction` times that a region of the full one becomes.
    private func window(_ region: PixelRect?, reduction: Int) -> JPEG2000Grid.Area {
        let whole = codestream.grid.pixels(of: codestream.grid.image)
        guard let region else { return whole.reduced(reduction) }
        let (left, top) = (whole.x.lowerBound + region.x, whole.y.lowerBound + region.y)
        return JPEG2000Grid.Area(x: left..<left + region.width, y: top..<top + region.height).reduced(reduction)
    }
}

/// The header of a JPEG 2000 file: its boxes, and the codestream's.
struct JPEG2000File: Sendable {
    let container: JPEG2000Container
    let codestream: JPEG2000Codestream
    let channels: JPEG2000Channels
    let header: ImageHeader

    init(_ source: Source, options: DecodingOptions) throws(ImageError) {
        container = try JPEG2000Container(source, limits: options.limits)
        codestream = try JPEG2000Codestream(source, container.codestream, limits: options.limits)
        channels = try JPEG2000Channels(container, codestream.grid.components)
        var metadata = container.metadata
        metadata.orientation = metadata.orientationInBlocks(options)
        header = ImageHeader(
            format: container.isBoxed ? .jpeg2000 : .jpeg2000Codestream, storedSize: codestream.grid.size,
            colorModel: channels.colorModel, bitsPerChannel: channels.bits, hasAlpha: channels.alpha != nil,
            profile: channels.profile, metadata: metadata)
    }
}
#endif
