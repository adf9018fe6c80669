#if HEIF
internal import Raster

/// An image whose alpha is another image of the same size.
final class HEIFMaskedPicture: WholePicture {
    let header: ImageHeader
    private let picture: any WholePicture
    private let mask: any WholePicture
    private let isPremultiplied: Bool
    private var colors: (any RowSource)?
    private var opacity: (any RowSource)?

    /// `picture` with the luma of `mask` as its alpha, by which the colours are multiplied if `isPremultiplied`.
    /// - Throws: `unsupported` if the two differ in size or orientation, or `picture` has alpha already.
    init(
        _ picture: any WholePicture, mask: any WholePicture, isPremultiplied: Bool
    ) throws(ImageError) {
        var header = picture.header
        guard header.storedSize == mask.header.storedSize,
            header.metadata.orientation == mask.header.metadata.orientation, !header.hasAlpha
        else {
            throw ImageError(
                .unsupported,
                "the \(header.format) image of \(header.storedSize) can't have a mask of \(mask.header.storedSize):"
                    + " masks must have the image's size and turns, and be the only alpha")
        }
        header.hasAlpha = true
        (self.header, self.picture, self.mask, self.isPremultiplied) = (header, picture, mask, isPremultiplied)
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        // Two decoders may reduce to different sizes.
        let plan = DecodingPlan(region: plan.region)
        let (info, maskInfo) = (try picture.start(plan), try mask.start(plan))
        let bits = info.format.bitsPerChannel
        colors = try WholePictureRows(picture, info)
            .converted(to: PixelFormat.rgba8.withBitsPerChannel(bits), alpha: .none)
        opacity = try WholePictureRows(mask, maskInfo)
            .converted(to: PixelFormat.gray8.withBitsPerChannel(bits), alpha: .none)
        return BitmapInfo(
            size: info.size, format: PixelFormat.rgba8.withBitsPerChannel(bits), alpha: .straight,
            profile: info.profile)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard let colors, let opacity else { return 0 }
        let count = try colors.read(into: &rows)
        guard count > 0 else { return 0 }
        var info = opacity.info
        info.size.height = count
        var strip = try MutableBitmap(uninitialized: info)
        try strip.withMutableRows(0..<count) { (alpha) throws(ImageError) in try opacity.fill(&alpha) }
        let alpha = strip.freeze()
        var filled = rows.extracting(0..<count)
        for y in 0..<count {
            if info.format == .gray8 {
                let values = alpha.rows.row(y, as: Gray8.self)
                var target = filled.row(y, as: RGBA8.self)
                for x in target.indices { target[x].alpha = values[x].value }
            } else {
                let values = alpha.rows.row(y, as: Gray16.self)
                var target = filled.row(y, as: RGBA16.self)
                for x in target.indices { target[x].alpha = values[x].value }
            }
        }
        if isPremultiplied { filled.unpremultiply() }
        return count
    }
}
#endif
