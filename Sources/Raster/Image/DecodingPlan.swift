/// The part and scale of an image to decode, so that a decoder can skip the rest.
///
/// All in upright pixels of the full image, before any scaling.
public struct DecodingPlan: Hashable, Sendable {
    /// The part of the image to decode; nil for all of it.
    public var region: PixelRect?
    /// The size at which that part will be shown; nil for its full resolution.
    ///
    /// A decoder may deliver any size from twice this one (or `reducingGap` times) up to the full one; smaller is better. The
    /// caller scales the result the rest of the way. A vector drawing is delivered at this size, even if that is larger than its
    /// own.
    public var targetSize: PixelSize?
    /// The box that the wanted part will be fitted into; nil for none. Without effect where `targetSize` is set.
    ///
    /// It becomes the target size when the image's own size is known: the largest of the same proportions within the box,
    /// never larger than the wanted part.
    public var box: PixelSize?
    /// How many pixels a reduced image has at least for each of the target's, across and down.
    ///
    /// From two, a filter makes as sharp an image as from all of them. From fewer it doesn't, but they are decoded sooner.
    package var reducingGap = 2.0

    /// The whole image at full resolution.
    public static let full = DecodingPlan()

    /// A plan for `region` at `targetSize`.
    public init(region: PixelRect? = nil, targetSize: PixelSize? = nil) {
        self.region = region
        self.targetSize = targetSize
    }

    /// A plan for `region` (nil: the whole image) at the largest size of its proportions within `box`.
    ///
    /// Where the proportions of image and box differ, this decodes fewer pixels than the box as a target size.
    public init(region: PixelRect? = nil, fitting box: PixelSize) {
        self.region = region
        self.box = box
    }

    /// The size of the requested part of an image of `size`, at full resolution.
    public func regionSize(of size: PixelSize) -> PixelSize { region?.size ?? size }

    /// The size at which the requested part of an image of `size` will be shown: `targetSize`, or the size that fits the
    /// box; nil for its own.
    public func targetSize(of size: PixelSize) -> PixelSize? {
        targetSize ?? box.map { regionSize(of: size).fitted(within: $0) }
    }

    /// The same plan in stored pixels, for an image stored at `storedSize` that `orientation` turns upright.
    public func stored(_ orientation: Orientation, storedSize: PixelSize) -> DecodingPlan {
        let undo = orientation.inverse
        let upright = orientation.applied(to: storedSize)
        var plan = self
        plan.region = region.map { undo.applied(to: $0, in: upright) }
        plan.targetSize = targetSize(of: upright).map { undo.applied(to: $0) }
        plan.box = nil
        return plan
    }

    /// Validates region, target size and box for an image of `size`.
    /// - Throws: `invalidParameter` for a region that isn't wholly inside, and a target or a box without pixels.
    public func validate(for size: PixelSize) throws(ImageError) {
        if let region, !region.lies(within: size) {
            throw ImageError(
                .invalidParameter,
                "the region \(region.size) at (\(region.x), \(region.y)) does not lie within an image of \(size)")
        }
        if let targetSize, targetSize.isEmpty {
            throw ImageError(
                .invalidParameter, "invalid target size \(targetSize): width and height must be at least 1")
        }
        if let box, box.isEmpty {
            throw ImageError(.invalidParameter, "invalid box \(box): width and height must be at least 1")
        }
    }
}

extension DecodingPlan {
    /// The least size of a reduced image that satisfies the plan, `size` being the full image's: twice the target (or
    /// `reducingGap` times), or the requested part's own size if that is smaller.
    public func leastSize(of size: PixelSize) -> PixelSize {
        let part = regionSize(of: size)
        guard let targetSize = targetSize(of: size) else { return part }
        func least(_ target: Int, _ length: Int) -> Int {
            let wanted = (Double(target) * reducingGap).rounded(.up)
            return wanted < Double(length) ? Int(wanted) : length
        }
        return PixelSize(
            width: least(targetSize.width, part.width), height: least(targetSize.height, part.height))
    }

    /// The area of the `decoded` pixels that the requested part covers, `size` being that of the full image.
    ///
    /// A half, quarter or eighth of an indivisible length ends within a pixel, which the decoder pads: on
    /// the right and at the bottom of the image as stored, before `orientation` turned it upright. Scaled as part of the
    /// image, the padding would shift it.
    public func coverage(
        of size: PixelSize, decodedAs decoded: PixelSize, orientation: Orientation = .up
    ) -> PixelRegion {
        let part = regionSize(of: size)
        let least = leastSize(of: size)
        // A smaller one isn't reduced by halves: it is drawn at the target's size.
        guard decoded != part, decoded.width >= least.width, decoded.height >= least.height else {
            return PixelRegion(decoded)
        }
        let (width, height) = (
            Self.extent(of: part.width, decodedAs: decoded.width),
            Self.extent(of: part.height, decodedAs: decoded.height)
        )
        let origin = orientation.applied(toX: 0, y: 0, in: PixelSize(width: 2, height: 2))
        return PixelRegion(
            x: origin.x > 0 ? Double(decoded.width) - width : 0, y: origin.y > 0 ? Double(decoded.height) - height : 0,
            width: width, height: height)
    }

    /// The number of `count` pixels that `length` pixels take after repeated halving.
    private static func extent(of length: Int, decodedAs count: Int) -> Double {
        for shift in 1..<16 where (length - 1) >> shift + 1 == count { return Double(length) / Double(1 << shift) }
        return Double(count)
    }
}
