public import ImageEffects
public import Raster

extension ImageProcessors {
    /// Scales an image to a size, keeping its proportions.
    ///
    /// - `aspectFit`: the largest size that fits within the given one.
    /// - `aspectFill`: the smallest size that covers the given one; with `crop`, cropped to it around the centre.
    /// - Width or height alone: exactly that, with the other side proportional.
    ///
    /// Unless `upscale` is set, an image is never enlarged; with `crop`, it is instead cropped around its centre to the
    /// proportions of the size. A square size thus always gives a square, and a list's cells look alike:
    ///
    /// | image | size | `crop` | `crop`, `upscale` | neither |
    /// |---|---|---|---|---|
    /// | 200×100 | 50×50 | 50×50 | 50×50 | 100×50 |
    /// | 200×100 | 400×400 | 100×100 | 400×400 | 200×100 |
    /// | 200×100 | 400×50 | 200×25 | 400×50 | 200×100 |
    ///
    /// A deferred image is decoded no larger than needed, and a deferred SVG is rasterised at the size.
    public struct Resize: DeferredImageProcessing, Hashable {
        /// How the image is fitted to the size.
        public typealias ContentMode = ImageRequest.ThumbnailOptions.ContentMode

        private let sizing: ImageSizing

        /// Creates a processor that scales to `width` × `height`.
        public init(
            width: Double, height: Double, unit: ImageProcessingOptions.Unit = .points,
            contentMode: ContentMode = .aspectFill, crop: Bool = false, upscale: Bool = false
        ) {
            sizing = ImageSizing(
                width: width, height: height, unit: unit, contentMode: contentMode, crops: crop, enlarges: upscale)
        }

        /// Creates a processor that scales to a width.
        public init(width: Double, unit: ImageProcessingOptions.Unit = .points, upscale: Bool = false) {
            sizing = ImageSizing(
                width: width, height: nil, unit: unit, contentMode: .aspectFit, crops: false, enlarges: upscale)
        }

        /// Creates a processor that scales to a height.
        public init(height: Double, unit: ImageProcessingOptions.Unit = .points, upscale: Bool = false) {
            sizing = ImageSizing(
                width: nil, height: height, unit: unit, contentMode: .aspectFit, crops: false, enlarges: upscale)
        }

        /// Scales `image`; returns it unchanged if it already has the size.
        /// - Throws: `ImageError` with `invalidParameter` for a side that isn't finite and positive, `limitExceeded`,
        ///   and errors of decoding.
        public func process(_ image: Image) throws -> Image {
            let chain = try sizing.chain(for: image.size, scale: image.scale, isVector: image.isVector)
            return chain.effects.isEmpty ? image : try image.applying(chain, options: EffectOptions(units: .pixels))
        }

        /// The identity with all parameters.
        public var identity: EffectIdentity {
            EffectIdentity(
                "resize", .text(sizing.width.map { "\($0)" } ?? "any"), .text(sizing.height.map { "\($0)" } ?? "any"),
                .text(sizing.unit.name), .text(sizing.contentMode.rawValue), .flag(sizing.crops),
                .flag(sizing.enlarges))
        }
        /// The identity as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.Resize {
    /// Scales an image to a size, keeping its proportions.
    public static func resize(
        width: Double, height: Double, unit: ImageProcessingOptions.Unit = .points,
        contentMode: ImageProcessors.Resize.ContentMode = .aspectFill, crop: Bool = false, upscale: Bool = false
    ) -> Self {
        Self(width: width, height: height, unit: unit, contentMode: contentMode, crop: crop, upscale: upscale)
    }

    /// Scales an image to a width, keeping its proportions.
    public static func resize(
        width: Double, unit: ImageProcessingOptions.Unit = .points, upscale: Bool = false
    ) -> Self {
        Self(width: width, unit: unit, upscale: upscale)
    }

    /// Scales an image to a height, keeping its proportions.
    public static func resize(
        height: Double, unit: ImageProcessingOptions.Unit = .points, upscale: Bool = false
    ) -> Self {
        Self(height: height, unit: unit, upscale: upscale)
    }
}

/// Sizing parameters, shared by thumbnails and `ImageProcessors.Resize`.
struct ImageSizing: Hashable, Sendable {
    /// The target width; nil if only the height is given.
    var width: Double?
    /// The target height; nil if only the width is given.
    var height: Double?
    var unit: ImageRequest.ThumbnailOptions.Unit
    var contentMode: ImageRequest.ThumbnailOptions.ContentMode
    /// Whether an image that covers the size is cropped to it.
    var crops: Bool
    var enlarges: Bool
    /// Whether one side may be infinite, so that the other decides.
    var allowsInfiniteSide = false

    /// Returns the effects, with lengths in pixels, that fit an image of `size`; none if it stays unchanged.
    ///
    /// An image that must not be enlarged is only cropped, to the proportions of the target. Vector drawings have no
    /// such limit: they are rasterised at the target size.
    /// - Throws: `invalidParameter` for a side that isn't positive, or is infinite where that isn't allowed.
    func chain(for size: PixelSize, scale: Double, isVector: Bool) throws(ImageError) -> EffectChain {
        var sizing = self
        sizing.enlarges = enlarges || isVector
        return try sizing.chain(for: size, scale: scale)
    }

    private func chain(for size: PixelSize, scale: Double) throws(ImageError) -> EffectChain {
        let pixels = unit == .points ? scale : 1
        let (own, wanted) = (
            (width: Double(size.width), height: Double(size.height)),
            (width: width.map { $0 * pixels }, height: height.map { $0 * pixels })
        )
        let sides = [wanted.width, wanted.height].compactMap { $0 }
        guard sides.allSatisfy({ $0 > 0 && ($0.isFinite || allowsInfiniteSide) }), sides.contains(where: \.isFinite)
        else {
            let text = [width, height].map { $0.map { "\($0)" } ?? "any" }.joined(separator: "x")
            throw ImageError(
                .invalidParameter, "invalid size \(text): width and height must be finite and greater than 0")
        }
        switch (wanted.width, wanted.height) {
        case (let width?, let height?):
            return chain(for: own, width, height)
        case (let width?, nil):
            guard enlarges || !(width >= own.width) else { return [] }
            return [.scale(width: width, height: width * own.height / own.width)]
        case (nil, let height?):
            guard enlarges || !(height >= own.height) else { return [] }
            return [.scale(width: height * own.width / own.height, height: height)]
        case (nil, nil):
            return []
        }
    }

    private func chain(for own: (width: Double, height: Double), _ width: Double, _ height: Double) -> EffectChain {
        let (across, down) = (width / own.width, height / own.height)
        let factor = contentMode == .aspectFit ? min(across, down) : max(across, down)
        let isCropped = crops && contentMode == .aspectFill
        if factor >= 1, !enlarges {
            guard isCropped else { return [] }
            let width = min(own.width, max(1, (width / factor).rounded()))
            let height = min(own.height, max(1, (height / factor).rounded()))
            guard (width, height) != own else { return [] }
            return [
                .crop(
                    x: ((own.width - width) / 2).rounded(.down), y: ((own.height - height) / 2).rounded(.down),
                    width: width, height: height)
            ]
        }
        switch contentMode {
        // A side that doesn't decide may be infinite.
        case .aspectFit: return [.scaleToFit(width: min(width, Self.longest), height: min(height, Self.longest))]
        case .aspectFill:
            return isCropped ? [.scaleToFill(width: width, height: height)] : [.cover(width: width, height: height)]
        }
    }

    /// Longer than the side of any image.
    private static let longest = Double(1 << 24)
}

extension ImageSizing {
    init(_ thumbnail: ImageRequest.ThumbnailOptions) {
        self.init(
            width: thumbnail.width, height: thumbnail.height, unit: thumbnail.unit, contentMode: thumbnail.contentMode,
            crops: true, enlarges: false, allowsInfiniteSide: thumbnail.contentMode == .aspectFit)
    }
}
