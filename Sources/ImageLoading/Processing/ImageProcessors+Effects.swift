public import ImageEffects
public import Raster

extension ImageProcessors {
    /// Applies effects: Tessera's, a recipe's, or a program's own.
    ///
    /// A deferred picture is decoded no larger than the effects need.
    public struct Effects: DeferredImageProcessing, Hashable {
        /// The effects, the first to be applied first.
        public var chain: EffectChain
        /// How they do their work.
        public var options: EffectOptions

        /// Applies `chain`.
        public init(_ chain: EffectChain, options: EffectOptions = EffectOptions()) {
            self.chain = chain
            self.options = options
        }

        /// The picture with the effects.
        /// - Throws: `ImageError` as the effects report it.
        public func process(_ image: Image) throws -> Image { try image.applying(chain, options: options) }

        /// The effects and their options.
        public var identity: EffectIdentity { EffectIdentity("effects", [chain.identity, options.identity]) }
        /// The same as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.Effects {
    /// Applies effects, the first one first.
    public static func effects(_ effects: any ImageEffect..., options: EffectOptions = EffectOptions()) -> Self {
        Self(EffectChain(effects), options: options)
    }

    /// Applies the effects of `chain`.
    public static func effects(_ chain: EffectChain, options: EffectOptions = EffectOptions()) -> Self {
        Self(chain, options: options)
    }
}

extension ImageProcessors {
    /// Blurs a picture by a Gaussian; it keeps its size, and what is opaque stays opaque.
    public struct GaussianBlur: ImageProcessing, Hashable {
        /// The Gaussian's standard deviation in pixels.
        public var radius: Double

        /// Blurs by a standard deviation of `radius` pixels.
        public init(radius: Double = 8) { self.radius = radius }

        /// The blurred picture.
        /// - Throws: `ImageError` with `invalidParameter` for a radius that makes no sense.
        public func process(_ image: Image) throws -> Image {
            try image.applying(.blur(radius: radius), options: EffectOptions(units: .pixels))
        }

        /// The name and the radius.
        public var identity: EffectIdentity { EffectIdentity("gaussianBlur", .number(radius)) }
        /// The same as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.GaussianBlur {
    /// Blurs a picture by a Gaussian whose standard deviation is `radius` pixels.
    public static func gaussianBlur(radius: Double = 8) -> Self { Self(radius: radius) }
}

extension ImageProcessors {
    /// Cuts the largest disc out of a picture's middle.
    public struct Circle: ImageProcessing, Hashable {
        /// The line along its edge; nil for none.
        public var border: ImageProcessingOptions.Border?

        /// The largest disc.
        public init(border: ImageProcessingOptions.Border? = nil) { self.border = border }

        /// The disc, in a square as wide as the picture's shorter side.
        /// - Throws: `ImageError`.
        public func process(_ image: Image) throws -> Image {
            var chain: EffectChain = [.circle]
            let radius = Double(min(image.size.width, image.size.height)) / 2
            if let border { chain.effects.append(border.effect(radius: radius, scale: image.scale)) }
            return try image.applying(chain, options: EffectOptions(units: .pixels))
        }

        /// The name and the border.
        public var identity: EffectIdentity { EffectIdentity("circle", [border?.identity].compactMap { $0 }) }
        /// The same as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.Circle {
    /// Cuts the largest disc out of a picture's middle.
    public static func circle(border: ImageProcessingOptions.Border? = nil) -> Self { Self(border: border) }
}

extension ImageProcessors {
    /// Rounds a picture's corners.
    public struct RoundedCorners: ImageProcessing, Hashable {
        /// The corners' radius in `unit`s; one larger than half the picture's shorter side counts as that.
        public var radius: Double
        /// What the radius counts.
        public var unit: ImageProcessingOptions.Unit
        /// The line along the edge; nil for none.
        public var border: ImageProcessingOptions.Border?

        /// Rounds all corners by `radius`.
        public init(
            radius: Double, unit: ImageProcessingOptions.Unit = .points, border: ImageProcessingOptions.Border? = nil
        ) {
            self.radius = radius
            self.unit = unit
            self.border = border
        }

        /// The picture with round corners.
        /// - Throws: `ImageError` with `invalidParameter` for a radius that makes no sense.
        public func process(_ image: Image) throws -> Image {
            let pixels = unit.pixels(radius, scale: image.scale)
            var chain: EffectChain = [.cornerRadius(pixels)]
            if let border { chain.effects.append(border.effect(radius: pixels, scale: image.scale)) }
            return try image.applying(chain, options: EffectOptions(units: .pixels))
        }

        /// The name, the radius and the border.
        public var identity: EffectIdentity {
            var identity = EffectIdentity("roundedCorners", .number(radius), .text(unit.name))
            if let border { identity.parameters.append(.identity(border.identity)) }
            return identity
        }
        /// The same as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.RoundedCorners {
    /// Rounds a picture's corners.
    public static func roundedCorners(
        radius: Double, unit: ImageProcessingOptions.Unit = .points, border: ImageProcessingOptions.Border? = nil
    ) -> Self {
        Self(radius: radius, unit: unit, border: border)
    }
}

/// What several processors have in common.
public enum ImageProcessingOptions {
    /// What lengths count.
    public typealias Unit = ImageRequest.ThumbnailOptions.Unit

    /// A line along the inside of a picture's edge.
    public struct Border: Hashable, Sendable {
        /// The line's colour.
        public var color: RGBA8
        /// The line's width in `unit`s.
        public var width: Double
        /// What the width counts.
        public var unit: Unit

        /// A line of `color` and `width`.
        public init(color: RGBA8, width: Double = 1, unit: Unit = .points) {
            self.color = color
            self.width = width
            self.unit = unit
        }

        /// The line around corners of `radius` pixels of a picture with `scale` pixels to a point.
        func effect(radius: Double, scale: Double) -> Effects.Border {
            Effects.Border(color: color, width: unit.pixels(width, scale: scale), radius: radius)
        }

        var identity: EffectIdentity {
            EffectIdentity("border", .color(color), .number(width), .text(unit.name))
        }
    }
}

extension ImageProcessingOptions.Unit {
    /// A length in pixels of a picture with `scale` pixels to a point.
    func pixels(_ length: Double, scale: Double) -> Double { self == .points ? length * scale : length }

    var name: String { self == .points ? "points" : "pixels" }
}
