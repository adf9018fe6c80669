public import Raster

/// What a chain of effects needs of a picture of one size: what to decode, and what is left to do then.
///
/// The decoding plan goes to whoever has the picture, an `Image` or an image source; `apply(to:)` takes what comes back,
/// at the plan's target size or any larger one.
public struct EffectPlan: Sendable {
    /// What to decode.
    public let decoding: DecodingPlan
    /// How the decoded part is placed, in pixels of the full picture; nil where nothing is cropped or scaled at first.
    public let placement: Placement?
    /// The effects that are left after that, the first to be applied first.
    public let remaining: [any ImageEffect]
    /// What the effects know beside the pixels.
    public let context: EffectContext
    /// The size of the result.
    public let resultSize: PixelSize

    /// The part of the full picture that is decoded.
    private let region: PixelRect

    init(_ effects: [any ImageEffect], for size: PixelSize, in context: EffectContext) throws(ImageError) {
        self.context = context
        var remaining = effects.flatMap { ($0 as? Effects.SmartCrop).map { [$0.scaling, $0] } ?? [$0] }[...]
        // Crops within the picture are a region of it. One change of size on top can be left to the decoder, which
        // may do part of it; a second one can't: who scales down and up again wants to see that.
        var crop = PixelRect(size)
        var placement: Placement?
        while placement == nil, let next = try remaining.first?.placement(of: crop.size, in: context) {
            remaining = remaining.dropFirst()
            if next.isUnscaled, next.fillsCanvas {
                crop = PixelRect(x: crop.x + Int(next.source.x), y: crop.y + Int(next.source.y), size: next.canvas)
            } else {
                placement = next
            }
        }
        self.remaining = Array(remaining)
        region = placement?.region(within: crop) ?? crop
        decoding = DecodingPlan(
            region: region == PixelRect(size) ? nil : region, targetSize: placement?.targetSize(of: region.size))
        if var moved = placement {
            moved.source.x += Double(crop.x)
            moved.source.y += Double(crop.y)
            self.placement = moved
        } else {
            self.placement = nil
        }
        var result = placement?.canvas ?? crop.size
        for effect in remaining { result = try effect.resultSize(of: result, in: context) }
        resultSize = result
    }

    /// Does what is left with what was decoded.
    ///
    /// `bitmap` is upright and of any format; the result is RGBA of the options' depth, opaque or premultiplied.
    /// - Throws: `invalidParameter` for a bitmap smaller than was asked for, and what the effects report.
    public func apply(to bitmap: Bitmap) throws(ImageError) -> Bitmap {
        try check(bitmap.size)
        var bitmap = try bitmap.working(context.options.bitsPerChannel)
        if let placement = moved(to: bitmap.size) {
            bitmap = try placement.draw(bitmap, options: context.options)
        } else if bitmap.size != region.size {
            bitmap = try bitmap.resampled(
                to: region.size, filter: context.options.filter, linearLight: context.options.linearLight)
        }
        for effect in remaining { bitmap = try effect.apply(to: bitmap, in: context) }
        return bitmap
    }

    /// As `apply(to:)`, of rows as they come: a picture that is scaled down is never in memory at its own size.
    public func apply(to rows: any RowSource) throws(ImageError) -> Bitmap {
        let size = rows.info.size
        try check(size)
        guard let placement = moved(to: size), !placement.isUnscaled, !placement.destination.isEmpty else {
            return try apply(to: rows.makeBitmap())
        }
        let working = try rows.working(context.options.bitsPerChannel)
        var bitmap = try placement.draw(working, options: context.options)
        for effect in remaining { bitmap = try effect.apply(to: bitmap, in: context) }
        return bitmap
    }

    private func check(_ size: PixelSize) throws(ImageError) {
        let least = decoding.targetSize ?? region.size
        guard size.width >= min(least.width, region.width), size.height >= min(least.height, region.height) else {
            throw ImageError(.invalidParameter, "a picture of \(size) where \(least) was planned for")
        }
    }

    /// The placement, of the same part in the pixels that were decoded, which are `size`.
    private func moved(to size: PixelSize) -> Placement? {
        guard var placement else { return nil }
        let across = Double(size.width) / Double(region.width)
        let down = Double(size.height) / Double(region.height)
        let source = placement.source
        let (x, y) = ((source.x - Double(region.x)) * across, (source.y - Double(region.y)) * down)
        placement.source = PixelRegion(
            x: max(0, x), y: max(0, y), width: min(source.width * across, Double(size.width) - max(0, x)),
            height: min(source.height * down, Double(size.height) - max(0, y)))
        return placement
    }
}

extension EffectChain {
    /// What the chain needs of a picture of `size`.
    /// - Throws: `invalidParameter` for effects that make no sense for the picture, `limitExceeded`.
    public func plan(for size: PixelSize, in context: EffectContext) throws(ImageError) -> EffectPlan {
        try EffectPlan(steps, for: size, in: context)
    }
}

extension Placement {
    /// The whole pixels of the picture that the drawing needs, `crop` being what there is; `source` counts from it.
    fileprivate func region(within crop: PixelRect) -> PixelRect {
        // Where nothing shows a pixel will do, to tell the kind of the rest by.
        guard !destination.isEmpty else { return PixelRect(x: crop.x, y: crop.y, width: 1, height: 1) }
        guard !isUnscaled else {
            return PixelRect(x: crop.x + Int(source.x), y: crop.y + Int(source.y), size: destination.size)
        }
        // What the filter reaches beyond the part: three new pixels each way, or three old ones when it grows.
        let across = 3 * max(1, source.width / Double(destination.width)).rounded(.up)
        let down = 3 * max(1, source.height / Double(destination.height)).rounded(.up)
        let left = max(0, Int((source.x - across).rounded(.down)))
        let top = max(0, Int((source.y - down).rounded(.down)))
        let right = min(crop.width, Int((source.x + source.width + across).rounded(.up)))
        let bottom = min(crop.height, Int((source.y + source.height + down).rounded(.up)))
        return PixelRect(x: crop.x + left, y: crop.y + top, width: right - left, height: bottom - top)
    }

    /// The size at which a part of `size` is drawn; never larger than it is.
    fileprivate func targetSize(of size: PixelSize) -> PixelSize? {
        guard !destination.isEmpty else { return nil }
        let across = Double(destination.width) / source.width
        let down = Double(destination.height) / source.height
        guard across < 1 || down < 1 else { return nil }
        return PixelSize(
            width: min(size.width, max(1, Int((Double(size.width) * across).rounded(.up)))),
            height: min(size.height, max(1, Int((Double(size.height) * down).rounded(.up)))))
    }
}
