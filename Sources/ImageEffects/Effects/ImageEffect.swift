public import Raster

/// Something to be done to an image: a small value that can be compared, kept and sent anywhere.
///
/// Effects compose: `EffectChain` is one too. They work on any number of threads at once, on the same image too.
///
/// ```swift
/// let card = try image.applying(.scaleToFit(width: 800, height: 600), .cornerRadius(20), .shadow(blur: 12))
/// ```
public protocol ImageEffect: Hashable, Sendable {
    /// What tells the effect from every other, the same in every run: results can be kept by it.
    var identity: EffectIdentity { get }

    /// What of an image of `size` the effect shows, and where, if all it does is to crop and scale; else nil.
    ///
    /// A chain that begins with such effects has the image decoded no larger than it needs.
    /// - Throws: `invalidParameter` for parameters that make no sense for `size`.
    func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement?

    /// The size of what becomes of an image of `size`.
    /// - Throws: `invalidParameter` for parameters that make no sense for `size`, `limitExceeded`.
    func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize

    /// What becomes of `bitmap`, which is upright RGBA of 8 or 16 bits, opaque or premultiplied, as the result has to be.
    /// - Throws: `invalidParameter`, `limitExceeded` before memory is taken, `outOfMemory`.
    func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap
}

extension ImageEffect {
    /// Nil: more than cropping and scaling.
    public func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement? { nil }

    /// The canvas of its placement, or `size`.
    public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
        try placement(of: size, in: context)?.canvas ?? size
    }
}

/// An effect that keeps an image's size, whose parameters may make no sense.
protocol SizeKeepingEffect: ImageEffect {
    /// - Throws: `invalidParameter` for parameters that make no sense.
    func check(in context: EffectContext) throws(ImageError)
}

extension SizeKeepingEffect {
    /// `size`, once the parameters make sense.
    public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
        try check(in: context)
        return size
    }
}

/// An effect with a name in recipes: one that Tessera brings along.
public protocol CodableEffect: ImageEffect, Codable {
    /// What recipes call it.
    static var name: String { get }
}

extension KeyedDecodingContainer {
    /// The value of a parameter, `standard` where it was left out.
    func decode<Value: Decodable>(_ key: Key, else standard: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? standard
    }
}

/// The effects that Tessera brings along.
///
/// They are listed here as types; where an effect is asked for, write `.shadow(blur: 12)` and the like.
public enum Effects {
    /// All that can stand in a recipe.
    package static let codable: [any CodableEffect.Type] = [
        Crop.self, Scale.self, ScaleToFit.self, ScaleToFill.self, Cover.self, CropAndScale.self,
        Opacity.self, Mask.self, MaskFromAlpha.self, Flatten.self, Overlay.self, Tint.self, ColorMatrix.self,
        Reflected.self, Reflection.self,
        GaussianBlur.self, Sharpen.self, Shadow.self,
        CornerRadius.self, Circle.self, Border.self,
        Rotate.self, Flip.self, SmartCrop.self,
    ]
}

extension Effects {
    /// Does whatever a closure does.
    ///
    /// Effects can't look into closures: the identifier is all that tells one from another, so it has to say what the
    /// closure does and with which parameters. A custom effect has no place in a recipe.
    public struct Custom: ImageEffect {
        /// What tells this effect from others, in the form `com.example.vignette`.
        public var identifier: String
        /// What makes a new image of one. Called on any number of threads at once.
        public var body: @Sendable (Image) throws(ImageError) -> Image

        /// Has `body` make a new image.
        ///
        /// The image that it's given is upright RGBA, premultiplied where it has alpha, and has as many pixels to a
        /// point as lengths in effects do. The new one may be of any kind. Its size may be another: `resultSize` can't
        /// know and says that of the image.
        public init(identifier: String, _ body: @escaping @Sendable (Image) throws(ImageError) -> Image) {
            self.identifier = identifier
            self.body = body
        }

        /// The identifier it was given.
        public var identity: EffectIdentity { EffectIdentity("custom", .text(identifier)) }

        /// Whether both have the same identifier.
        public static func == (a: Custom, b: Custom) -> Bool { a.identifier == b.identifier }

        /// Hashes what equality compares.
        public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

        /// What the closure makes of the image.
        /// - Throws: What the closure throws, `limitExceeded` for more pixels than allowed.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let result = try body(Image(bitmap, scale: context.pixelsPerUnit))
            try context.validated(result.size)
            return try result.bitmap().working(context.options.bitsPerChannel)
        }
    }
}

extension ImageEffect where Self == Effects.Custom {
    /// Does whatever a closure does; `identifier` has to say what, and with which parameters.
    public static func custom(
        _ identifier: String, _ body: @escaping @Sendable (Image) throws(ImageError) -> Image
    ) -> Self {
        Self(identifier: identifier, body)
    }
}
