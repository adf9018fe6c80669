public import ImageEffects
public import Raster

extension ImageProcessors {
    /// Applies effects: built-in ones, a recipe, or custom ones.
    ///
    /// A deferred image is decoded no larger than the effects need.
    public struct Effects: DeferredImageProcessing, Hashable {
        /// The effects, in order of application.
        public var chain: EffectChain
        /// Units, resampling, depth and limits for the effects.
        public var options: EffectOptions

        /// Creates a processor that applies `chain`.
        public init(_ chain: EffectChain, options: EffectOptions = EffectOptions()) {
            self.chain = chain
            self.options = options
        }

        /// Applies the effects to `image`.
        /// - Throws: The `ImageError` of an effect.
        public func process(_ image: Image) throws -> Image { try image.applying(chain, options: options) }

        /// The identity of the effects and their options.
        public var identity: EffectIdentity { EffectIdentity("effects", [chain.identity, options.identity]) }
        /// The identity as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.Effects {
    /// Applies effects in the given order.
    public static func effects(_ effects: any ImageEffect..., options: EffectOptions = EffectOptions()) -> Self {
        Self(EffectChain(effects), options: options)
    }

    /// Applies the effects of `chain`.
    public static func effects(_ chain: EffectChain, options: EffectOptions = EffectOptions()) -> Self {
        Self(chain, options: options)
    }
}

extension ImageProcessors {
    /// Blurs an image with a Gaussian. The size stays the same, and opaque images stay opaque.
    public struct GaussianBlur: ImageProcessing, Hashable {
        /// The standard deviation of the Gaussian, in pixels.
        public var radius: Double

        /// Creates a blur with a standard deviation of `radius` pixels.
        public init(radius: Double = 8) { self.radius = radius }

        /// Blurs `image`.
        /// - Throws: `ImageError` with `invalidParameter` for an invalid radius.
        public func process(_ image: Image) throws -> Image {
            try image.applying(.blur(radius: radius), options: EffectOptions(units: .pixels))
        }

        /// The identity with the radius.
        public var identity: EffectIdentity { EffectIdentity("gaussianBlur", .number(radius)) }
        /// The identity as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.GaussianBlur {
    /// Blurs an image with a Gaussian whose standard deviation is `radius` pixels.
    public static func gaussianBlur(radius: Double = 8) -> Self { Self(radius: radius) }
}

extension ImageProcessors {
    /// Crops an image to the largest centred circle.
    public struct Circle: ImageProcessing, Hashable {
        /// The border along the edge; nil for none.
        public var border: ImageProcessingOptions.Border?

        /// Creates a processor that crops to a circle.
        public init(border: ImageProcessingOptions.Border? = nil) { self.border = border }

        /// Crops `image` to a circle, in a square of the image's shorter side.
        /// - Throws: `ImageError`.
        public func process(_ image: Image) throws -> Image {
            var chain: EffectChain = [.circle]
            let radius = Double(min(image.size.width, image.size.height)) / 2
            if let border { chain.effects.append(border.effect(radius: radius, scale: image.scale)) }
            return try image.applying(chain, options: EffectOptions(units: .pixels))
        }

        /// The identity with the border.
        public var identity: EffectIdentity { EffectIdentity("circle", [border?.identity].compactMap { $0 }) }
        /// The identity as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.Circle {
    /// Crops an image to the largest centred circle.
    public static func circle(border: ImageProcessingOptions.Border? = nil) -> Self { Self(border: border) }
}

extension ImageProcessors {
    /// Rounds an image's corners.
    public struct RoundedCorners: ImageProcessing, Hashable {
        /// The radius of the corners in `unit`s. Larger ones count as half the image's shorter side.
        public var radius: Double
        /// The unit of the radius.
        public var unit: ImageProcessingOptions.Unit
        /// The border along the edge; nil for none.
        public var border: ImageProcessingOptions.Border?

        /// Creates a processor that rounds all corners by `radius`.
        public init(
            radius: Double, unit: ImageProcessingOptions.Unit = .points, border: ImageProcessingOptions.Border? = nil
        ) {
            self.radius = radius
            self.unit = unit
            self.border = border
        }

        /// Rounds the corners of `image`.
        /// - Throws: `ImageError` with `invalidParameter` for an invalid radius.
        public func process(_ image: Image) throws -> Image {
            let pixels = unit.pixels(radius, scale: image.scale)
            var chain: EffectChain = [.cornerRadius(pixels)]
            if let border { chain.effects.append(border.effect(radius: pixels, scale: image.scale)) }
            return try image.applying(chain, options: EffectOptions(units: .pixels))
        }

        /// The identity with the radius and the border.
        public var identity: EffectIdentity {
            var identity = EffectIdentity("roundedCorners", .number(radius), .text(unit.name))
            if let border { identity.parameters.append(.identity(border.identity)) }
            return identity
        }
        /// The identity as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.RoundedCorners {
    /// Rounds an image's corners by `radius`.
    public static func roundedCorners(
        radius: Double, unit: ImageProcessingOptions.Unit = .points, border: ImageProcessingOptions.Border? = nil
    ) -> Self {
        Self(radius: radius, unit: unit, border: border)
    }
}

/// Option types shared by several processors.
public enum ImageProcessingOptions {
    /// The unit of lengths: points or pixels.
    public typealias Unit = ImageRequest.ThumbnailOptions.Unit

    /// A line along the inside of an image's edge.
    public struct Border: Hashable, Sendable {
        /// The colour of the line.
        public var color: RGBA8
        /// The width of the line in `unit`s.
        public var width: Double
        /// The unit of the width.
        public var unit: Unit

        /// Creates a border of `color` and `width`.
        public init(color: RGBA8, width: Double = 1, unit: Unit = .points) {
            self.color = color
            self.width = width
            self.unit = unit
        }

        /// The border effect for corners of `radius` pixels, in an image with `scale` pixels per point.
        func effect(radius: Double, scale: Double) -> Effects.Border {
            Effects.Border(color: color, width: unit.pixels(width, scale: scale), radius: radius)
        }

        var identity: EffectIdentity {
            EffectIdentity("border", .color(color), .number(width), .text(unit.name))
        }
    }
}

extension ImageProcessingOptions.Unit {
    /// Converts a length to pixels, for an image with `scale` pixels per point.
    func pixels(_ length: Double, scale: Double) -> Double { self == .points ? length * scale : length }

    var name: String { self == .points ? "points" : "pixels" }
}
