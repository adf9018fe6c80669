public import ImageEffects
public import Raster

extension ImageProcessors {
    /// Scales a picture to a size, its proportions kept.
    ///
    /// - `aspectFit`: to the largest size within the given one.
    /// - `aspectFill`: to the smallest size that covers the given one; with `crop`, cropped to it about its middle.
    /// - A width or a height alone: to that, whatever the other side becomes.
    ///
    /// Unless `upscale` is set, an image that would have to be larger keeps its pixels; with `crop`, it is cropped about
    /// its middle to the proportions of the size. So a square is square whatever the image, and a list's cells look alike:
    ///
    /// | image | size | `crop` | `crop`, `upscale` | neither |
    /// |---|---|---|---|---|
    /// | 200×100 | 50×50 | 50×50 | 50×50 | 100×50 |
    /// | 200×100 | 400×400 | 100×100 | 400×400 | 200×100 |
    /// | 200×100 | 400×50 | 200×25 | 400×50 | 200×100 |
    ///
    /// A deferred image is decoded no larger than needed, and a deferred drawing (SVG) is drawn at the size.
    public struct Resize: DeferredImageProcessing, Hashable {
        /// How the picture is brought to the size.
        public typealias ContentMode = ImageRequest.ThumbnailOptions.ContentMode

        private let sizing: ImageSizing

        /// Scales to `width` × `height`.
        public init(
            width: Double, height: Double, unit: ImageProcessingOptions.Unit = .points,
            contentMode: ContentMode = .aspectFill, crop: Bool = false, upscale: Bool = false
        ) {
            sizing = ImageSizing(
                width: width, height: height, unit: unit, contentMode: contentMode, crops: crop, enlarges: upscale)
        }

        /// Scales to a width.
        public init(width: Double, unit: ImageProcessingOptions.Unit = .points, upscale: Bool = false) {
            sizing = ImageSizing(
                width: width, height: nil, unit: unit, contentMode: .aspectFit, crops: false, enlarges: upscale)
        }

        /// Scales to a height.
        public init(height: Double, unit: ImageProcessingOptions.Unit = .points, upscale: Bool = false) {
            sizing = ImageSizing(
                width: nil, height: height, unit: unit, contentMode: .aspectFit, crops: false, enlarges: upscale)
        }

        /// The picture at its new size, or as it is.
        /// - Throws: `ImageError` with `invalidParameter` for a side that isn't finite and above 0, `limitExceeded`, and
        ///   what decoding reports.
        public func process(_ image: Image) throws -> Image {
            let chain = try sizing.chain(for: image.size, scale: image.scale, isVector: image.isVector)
            return chain.effects.isEmpty ? image : try image.applying(chain, options: EffectOptions(units: .pixels))
        }

        /// The name and the parameters.
        public var identity: EffectIdentity {
            EffectIdentity(
                "resize", .text(sizing.width.map { "\($0)" } ?? "any"), .text(sizing.height.map { "\($0)" } ?? "any"),
                .text(sizing.unit.name), .text(sizing.contentMode.rawValue), .flag(sizing.crops),
                .flag(sizing.enlarges))
        }
        /// The same as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.Resize {
    /// Scales a picture to a size, its proportions kept.
    public static func resize(
        width: Double, height: Double, unit: ImageProcessingOptions.Unit = .points,
        contentMode: ImageProcessors.Resize.ContentMode = .aspectFill, crop: Bool = false, upscale: Bool = false
    ) -> Self {
        Self(width: width, height: height, unit: unit, contentMode: contentMode, crop: crop, upscale: upscale)
    }

    /// Scales a picture to a width, its proportions kept.
    public static func resize(
        width: Double, unit: ImageProcessingOptions.Unit = .points, upscale: Bool = false
    ) -> Self {
        Self(width: width, unit: unit, upscale: upscale)
    }

    /// Scales a picture to a height, its proportions kept.
    public static func resize(
        height: Double, unit: ImageProcessingOptions.Unit = .points, upscale: Bool = false
    ) -> Self {
        Self(height: height, unit: unit, upscale: upscale)
    }
}

/// How a picture is brought to a size: what thumbnails and `ImageProcessors.Resize` have in common.
struct ImageSizing: Hashable, Sendable {
    /// The width to reach; nil where only the height counts.
    var width: Double?
    /// The height to reach; nil where only the width counts.
    var height: Double?
    var unit: ImageRequest.ThumbnailOptions.Unit
    var contentMode: ImageRequest.ThumbnailOptions.ContentMode
    /// Whether what covers the size is cropped to it.
    var crops: Bool
    var enlarges: Bool
    /// Whether one side may be infinite, so that the other decides.
    var allowsInfiniteSide = false

    /// The effects, with lengths in pixels, that bring a picture of `size` there; none where it is to stay as it is.
    ///
    /// A picture that would have to be larger, and isn't to be, is only cropped, to the proportions of the size. A drawing
    /// has no pixels that would be made larger: it is drawn at the size.
    /// - Throws: `invalidParameter` for a side that isn't above 0, or is infinite where that isn't allowed.
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
        // A side that doesn't decide may be without end.
        case .aspectFit: return [.scaleToFit(width: min(width, Self.longest), height: min(height, Self.longest))]
        case .aspectFill:
            return isCropped ? [.scaleToFill(width: width, height: height)] : [.cover(width: width, height: height)]
        }
    }

    /// Longer than any picture's side.
    private static let longest = Double(1 << 24)
}

extension ImageSizing {
    init(_ thumbnail: ImageRequest.ThumbnailOptions) {
        self.init(
            width: thumbnail.width, height: thumbnail.height, unit: thumbnail.unit, contentMode: thumbnail.contentMode,
            crops: true, enlarges: false, allowsInfiniteSide: thumbnail.contentMode == .aspectFit)
    }
}
