/// What is wanted of a picture, so that a decoder can leave out the work that nobody needs.
///
/// All in upright pixels of the full picture, before any scale.
public struct DecodingPlan: Hashable, Sendable {
    /// The part of the picture that is wanted; nil for all of it.
    public var region: PixelRect?
    /// The size that the wanted part will be shown at; nil for its own.
    ///
    /// A decoder may deliver any size from this one up to the full one: the smallest that it can make without losing
    /// detail. Who asked scales the rest of the way.
    public var targetSize: PixelSize?

    /// The whole picture in full.
    public static let full = DecodingPlan()

    /// A plan for `region` at `targetSize`.
    public init(region: PixelRect? = nil, targetSize: PixelSize? = nil) {
        self.region = region
        self.targetSize = targetSize
    }

    /// The size of the wanted part of a picture of `size`, at full resolution.
    public func regionSize(of size: PixelSize) -> PixelSize { region?.size ?? size }

    /// The same plan for a picture stored at `storedSize` whose upright form is given by `orientation`: in stored pixels.
    public func stored(_ orientation: Orientation, storedSize: PixelSize) -> DecodingPlan {
        let undo = orientation.inverse
        let upright = orientation.applied(to: storedSize)
        return DecodingPlan(
            region: region.map { undo.applied(to: $0, in: upright) },
            targetSize: targetSize.map { undo.applied(to: $0) })
    }

    /// Whether `region` and `targetSize` make sense for a picture of `size`.
    /// - Throws: `invalidParameter` for a region that isn't wholly inside or a target without pixels.
    public func validate(for size: PixelSize) throws(ImageError) {
        if let region, !region.lies(within: size) {
            throw ImageError(
                .invalidParameter,
                "the region \(region.size) at (\(region.x), \(region.y)) does not lie within a picture of \(size)")
        }
        if let targetSize, targetSize.isEmpty {
            throw ImageError(.invalidParameter, "a target size of \(targetSize) has no pixels")
        }
    }
}
