public import ImageEffects
public import Raster

extension ImageProcessors {
    /// Scales a picture to a size, its proportions kept.
    ///
    /// - `aspectFit`: to the largest size within the given one.
    /// - `aspectFill`: to the smallest size that covers the given one; with `crop`, cropped to it about its middle.
    /// - A width or a height alone: to that, whatever the other side becomes.
    ///
    /// Unless `upscale` is set, a picture that would have to be larger keeps its pixels; with `crop`, what of it lies
    /// beyond the size goes. A deferred picture is decoded no larger than needed.
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
        /// - Throws: `ImageError` with `invalidParameter` for a size without pixels, `limitExceeded`, and what decoding
        ///   reports.
        public func process(_ image: Image) throws -> Image {
            let chain = sizing.chain(for: image.size, scale: image.scale)
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
