/// An image that says how much brighter or darker each pixel of another image, the base, is in its alternate rendition:
/// usually the high dynamic range of a base in standard range (ISO 21496-1).
///
/// The map covers the whole base, usually with fewer pixels.
public struct GainMap: Sendable {
    /// The map's pixels: grey, or RGB with a gain for each channel. Stored values, without a colour space.
    public var image: Image
    /// The meaning of the map's pixels.
    public var metadata: GainMapMetadata
    /// The colour space of the alternate rendition; nil for the base's. Gains apply to linear light in its primaries
    /// unless `metadata.usesBaseColorSpace`.
    public var alternateProfile: ColorProfile?

    /// A map of `image`, upright like its base.
    public init(_ image: Image, _ metadata: GainMapMetadata, alternateProfile: ColorProfile? = nil) {
        self.image = image
        self.metadata = metadata
        self.alternateProfile = alternateProfile
    }
}

extension GainMap {
    /// The map of a base that was turned by `orientation`. No pixels are copied.
    public func oriented(by orientation: Orientation) -> GainMap {
        guard orientation != .up else { return self }
        var turned = self
        turned.image = image.turned(by: orientation)
        return turned
    }

    /// The map of `region` of a base of `size`, scaled to `target`.
    ///
    /// The result covers exactly the region, with as many pixels for each of the base's as before, but none invented
    /// where the base grows. It is made when its pixels are first needed.
    /// - Precondition: `target` isn't empty.
    public func cropped(to region: PixelRegion, of size: PixelSize, scaledTo target: PixelSize) -> GainMap {
        precondition(!target.isEmpty)
        let across = Double(image.size.width) / Double(size.width)
        let down = Double(image.size.height) / Double(size.height)
        let x = min(region.x * across, Double(image.size.width))
        let y = min(region.y * down, Double(image.size.height))
        let part = PixelRegion(
            x: x, y: y, width: min(region.width * across, Double(image.size.width) - x),
            height: min(region.height * down, Double(image.size.height) - y))
        func length(_ target: Int, _ density: Double, _ stored: Double) -> Int {
            max(1, Int(min(Double(target) * density, stored.rounded(.up)).rounded()))
        }
        let scaled = PixelSize(
            width: length(target.width, across, part.width), height: length(target.height, down, part.height))
        // An edge within a sliver of the map's last pixel has no area left to resample.
        guard part.lies(within: image.size), part != PixelRegion(image.size) || scaled != image.size else {
            return self
        }
        var result = self
        result.image = Image(deferred: ResampledProvider(image, region: part, size: scaled), scale: image.scale)
        return result
    }
}

/// Resamples a part of an image each time its pixels are requested.
private struct ResampledProvider: BitmapProvider {
    private let image: Image
    private let region: PixelRegion
    let info: BitmapInfo

    init(_ image: Image, region: PixelRegion, size: PixelSize) {
        self.image = image
        self.region = region
        var info = image.info
        info.size = size
        self.info = info
    }

    var byteCount: Int { image.byteCount }

    func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
        try plan.validate(for: info.size)
        let whole = try resampled()
        return try plan.region.map { (region) throws(ImageError) in try whole.cropped(to: region) } ?? whole
    }

    private func resampled() throws(ImageError) -> Bitmap {
        guard region == PixelRegion(image.size) else {
            return try image.bitmap().resampled(to: info.size, region: region)
        }
        let plan = DecodingPlan(targetSize: info.size)
        let decoded = try image.bitmap(for: plan)
        let coverage = plan.coverage(
            of: image.size, decodedAs: decoded.size,
            orientation: image.decodedOrientation.followed(by: image.orientation))
        return try decoded.resampled(to: info.size, region: coverage)
    }
}
