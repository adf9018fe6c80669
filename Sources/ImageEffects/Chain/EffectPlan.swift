public import Raster

/// The work that a chain of effects needs for an image of one size: the part to decode, and the effects to apply then.
///
/// Pass `decoding` to the `Image` or image source, and its bitmap to `apply(to:)`, at the plan's target size or larger.
public struct EffectPlan: Sendable {
    /// The region and size to decode.
    public let decoding: DecodingPlan
    /// The decoded part's placement, in pixels of the full image; nil if the decoded region needs neither scaling nor
    /// padding.
    public let placement: Placement?
    /// The effects after the placement, in order.
    public let remaining: [any ImageEffect]
    /// The options and the scale for the effects.
    public let context: EffectContext
    /// The size of the result.
    public let resultSize: PixelSize

    /// The part of the full image that is decoded.
    private let region: PixelRect
    /// Whether the image is a drawing, rasterised at the size at which it is shown.
    private let isVector: Bool

    /// - Parameters:
    ///   - magnification: Pixels that the effects count for each pixel of the image.
    ///   - isVector: Whether the image is a drawing.
    init(
        _ effects: [any ImageEffect], for size: PixelSize, in context: EffectContext, magnification: Double,
        isVector: Bool
    ) throws(ImageError) {
        self.context = context
        self.isVector = isVector
        let counted =
            magnification == 1
            ? size
            : try context.unlimited(Double(size.width) * magnification, Double(size.height) * magnification)
        var remaining = effects.flatMap { ($0 as? Effects.SmartCrop).map { [$0.scaling, $0] } ?? [$0] }[...]
        // Crops within the image become its region. One change of size after them can be left to the decoder, which may
        // do part of it. A second one can't: scaling down and up again must stay visible.
        var crop = PixelRect(counted)
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
        if counted != size {
            // The counted pixels don't exist: the part that is shown is scaled from the image's own pixels.
            if placement == nil { try context.validated(crop.size) }
            placement = (placement ?? Placement(whole: crop.size)).moved(by: crop, from: counted, to: size)
            crop = PixelRect(size)
        }
        // A drawing is rasterised at its final size: no filter reaches beyond the part that is shown.
        region = placement?.region(within: crop, reach: isVector ? 0 : 3) ?? crop
        let part = region == PixelRect(size) ? nil : region
        let target =
            isVector ? placement?.drawnSize(of: region.size) : placement?.targetSize(of: region.size)
        decoding = DecodingPlan(region: part, targetSize: target)
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

    /// Applies the rest of the chain to the decoded bitmap.
    ///
    /// `bitmap` is upright and of any format. The result is RGBA of the options' depth, opaque or premultiplied.
    /// - Parameter orientation: The orientation that the decoder corrected.
    /// - Throws: `invalidParameter` for a bitmap smaller than planned; the effects' errors.
    public func apply(to bitmap: Bitmap, turnedBy orientation: Orientation = .up) throws(ImageError) -> Bitmap {
        try applyRemaining(
            to: placed(
                bitmap, coverage: decoding.coverage(of: region.size, decodedAs: bitmap.size, orientation: orientation)))
    }

    /// Applies the effects that come after decoding and scaling.
    package func applyRemaining(to bitmap: Bitmap) throws(ImageError) -> Bitmap {
        var bitmap = bitmap
        for effect in remaining { bitmap = try effect.apply(to: bitmap, in: context) }
        return bitmap
    }

    private func placed(_ bitmap: Bitmap, coverage: PixelRegion) throws(ImageError) -> Bitmap {
        try check(bitmap.size)
        var bitmap = try bitmap.working(context.options.bitsPerChannel)
        if let placement = moved(to: coverage, of: bitmap.size) {
            bitmap = try placement.draw(bitmap, options: context.options)
        } else if bitmap.size != region.size {
            bitmap = try bitmap.resampled(
                to: region.size, filter: context.options.filter, linearLight: context.options.linearLight)
        }
        return bitmap
    }

    /// As `apply(to:)`, from rows as they are decoded: an image that is scaled down is never in memory at its own size.
    public func apply(to rows: any RowSource) throws(ImageError) -> Bitmap { try applyRemaining(to: placed(rows)) }

    /// Decodes the rows and scales them, up to the effects of `applyRemaining`.
    package func placed(_ rows: any RowSource) throws(ImageError) -> Bitmap {
        let size = rows.info.size
        try check(size)
        guard let placement = moved(to: rows.coverage, of: size), !placement.isUnscaled, !placement.destination.isEmpty
        else {
            return try placed(rows.makeBitmap(), coverage: rows.coverage)
        }
        return try placement.draw(rows.working(context.options.bitsPerChannel), options: context.options)
    }

    private func check(_ size: PixelSize) throws(ImageError) {
        let least = decoding.targetSize ?? region.size
        guard size.width >= min(least.width, region.width), size.height >= min(least.height, region.height) else {
            throw ImageError(
                .invalidParameter, "the image of \(size) doesn't fit the plan, which needs at least \(least)")
        }
    }

    /// The placement in the pixels of the decoded bitmap, which has `size`. The planned region is `coverage` of them,
    /// or all of a drawing.
    private func moved(to coverage: PixelRegion, of size: PixelSize) -> Placement? {
        guard var placement else { return nil }
        let coverage =
            isVector ? PixelRegion(x: 0, y: 0, width: Double(size.width), height: Double(size.height)) : coverage
        let across = coverage.width / Double(region.width)
        let down = coverage.height / Double(region.height)
        let source = placement.source
        let x = max(0, (source.x - Double(region.x)) * across)
        let y = max(0, (source.y - Double(region.y)) * down)
        placement.source = PixelRegion(
            x: coverage.x + x, y: coverage.y + y, width: min(source.width * across, coverage.width - x),
            height: min(source.height * down, coverage.height - y))
        return isVector ? placement.snapped(within: size) : placement
    }
}

extension EffectChain {
    /// The decoding and the remaining work for an image of `size`.
    /// - Parameter isVector: Whether the image is a drawing, which is rasterised at the size of the chain's first
    ///   change of size, even a larger one.
    /// - Throws: `invalidParameter` for effects that aren't valid for the image, `limitExceeded`.
    public func plan(
        for size: PixelSize, in context: EffectContext, isVector: Bool = false
    ) throws(ImageError) -> EffectPlan {
        try plan(for: size, in: context, magnification: 1, isVector: isVector)
    }

    /// As `plan(for:in:isVector:)`, for an image whose pixels each count as `magnification` pixels.
    func plan(
        for size: PixelSize, in context: EffectContext, magnification: Double, isVector: Bool
    ) throws(ImageError) -> EffectPlan {
        try EffectPlan(steps, for: size, in: context, magnification: magnification, isVector: isVector)
    }
}

extension Placement {
    /// The whole pixels of the image that the drawing needs, within `crop`, from which `source` counts.
    /// - Parameter reach: The filter's reach to each side, in new pixels, or in old ones if the image grows.
    fileprivate func region(within crop: PixelRect, reach: Double) -> PixelRect {
        // If nothing is visible, one pixel is enough to determine the format.
        guard !destination.isEmpty else { return PixelRect(x: crop.x, y: crop.y, width: 1, height: 1) }
        guard !isUnscaled else {
            return PixelRect(x: crop.x + Int(source.x), y: crop.y + Int(source.y), size: destination.size)
        }
        let across = reach * max(1, source.width / Double(destination.width)).rounded(.up)
        let down = reach * max(1, source.height / Double(destination.height)).rounded(.up)
        let columns = Self.range(
            from: source.x - across, to: source.x + source.width + across, of: crop.width,
            unit: reach > 0 ? Self.unit(source.width / Double(destination.width)) : 1)
        let rows = Self.range(
            from: source.y - down, to: source.y + source.height + down, of: crop.height,
            unit: reach > 0 ? Self.unit(source.height / Double(destination.height)) : 1)
        return PixelRect(
            x: crop.x + columns.lowerBound, y: crop.y + rows.lowerBound, width: columns.count, height: rows.count)
    }

    private static func range(from start: Double, to end: Double, of length: Int, unit: Int) -> Range<Int> {
        let first = max(0, Int(start.rounded(.down))) / unit * unit
        let last = min(length, Int(end.rounded(.up)))
        return first..<min(length, (last + unit - 1) / unit * unit)
    }

    /// The unit of the region's edges if `step` pixels become one: a multiple of eight, so that a decoder can reduce
    /// it, and of the resampler's boxes, so that they average the same pixels as in the whole image.
    private static func unit(_ step: Double) -> Int {
        guard step >= 2 else { return 1 }
        let box = ResamplingFilter.box(step)
        return box * 8 / (1 << min(3, box.trailingZeroBitCount))
    }

    /// The size at which to decode a part of `size`; never larger than `size`.
    fileprivate func targetSize(of size: PixelSize) -> PixelSize? {
        guard !destination.isEmpty else { return nil }
        let across = Double(destination.width) / source.width
        let down = Double(destination.height) / source.height
        guard across < 1 || down < 1 else { return nil }
        return PixelSize(
            width: min(size.width, max(1, Int((Double(size.width) * across).rounded(.up)))),
            height: min(size.height, max(1, Int((Double(size.height) * down).rounded(.up)))))
    }

    /// The size at which to rasterise a drawing's part of `size`, so that no scaling is left.
    func drawnSize(of size: PixelSize) -> PixelSize? {
        guard !destination.isEmpty, !isUnscaled else { return nil }
        func length(_ part: Int, shown: Double, as drawn: Int) -> Int {
            guard Double(part) != shown else { return drawn }
            // More than any limit allows, but still within an integer.
            return max(1, Int(min(0x7FFF_FFFF, (Double(part) * Double(drawn) / shown).rounded(.up))))
        }
        return PixelSize(
            width: length(size.width, shown: source.width, as: destination.width),
            height: length(size.height, shown: source.height, as: destination.height))
    }

    /// Snaps the placement of a drawing rasterised at its final size to whole pixels: it moves by less than a pixel
    /// instead of being scaled by a fraction of one, and stays sharp. The decoded part has `size`.
    func snapped(within size: PixelSize) -> Placement {
        let (width, height) = (destination.width, destination.height)
        guard abs(source.width - Double(width)) < 1, abs(source.height - Double(height)) < 1, width <= size.width,
            height <= size.height
        else { return self }
        var snapped = self
        snapped.source = PixelRegion(
            PixelRect(
                x: min(source.x.snapped, size.width - width), y: min(source.y.snapped, size.height - height),
                width: width, height: height))
        return snapped
    }

    /// All of an image of `size`, unscaled.
    init(whole size: PixelSize) {
        self.init(canvas: size, source: PixelRegion(size), destination: PixelRect(size))
    }

    /// The same placement for part `crop` of an image of size `counted`, with the source in pixels of the same image at
    /// `size`.
    func moved(by crop: PixelRect, from counted: PixelSize, to size: PixelSize) -> Placement {
        let across = Double(size.width) / Double(counted.width)
        let down = Double(size.height) / Double(counted.height)
        let (x, y) = ((source.x + Double(crop.x)) * across, (source.y + Double(crop.y)) * down)
        var moved = self
        moved.source = PixelRegion(
            x: x, y: y, width: min(source.width * across, Double(size.width) - x),
            height: min(source.height * down, Double(size.height) - y))
        return moved
    }
}
