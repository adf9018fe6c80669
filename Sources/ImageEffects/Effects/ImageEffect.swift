public import Raster

/// An operation on an image: a small value that can be compared, stored and sent between threads.
///
/// Effects compose: `EffectChain` is an effect too. They may run on any number of threads at once, even on the same
/// image.
///
/// ```swift
/// let card = try image.applying(.scaleToFit(width: 800, height: 600), .cornerRadius(20), .shadow(blur: 12))
/// ```
public protocol ImageEffect: Hashable, Sendable {
    /// Distinguishes the effect from every other, identically in every run: a key for cached results.
    var identity: EffectIdentity { get }

    /// The part of an image of `size` that the effect shows, and its position, if the effect only crops and scales;
    /// else nil.
    ///
    /// For a chain that begins with such effects the image is decoded no larger than needed.
    /// - Throws: `invalidParameter` for parameters that aren't valid for `size`.
    func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement?

    /// The size of the result for an image of `size`.
    /// - Throws: `invalidParameter` for parameters that aren't valid for `size`, `limitExceeded`.
    func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize

    /// Applies the effect to `bitmap`, which is upright RGBA of 8 or 16 bits, opaque or premultiplied. The result must
    /// be so too.
    /// - Throws: `invalidParameter`; `limitExceeded` before memory is allocated; `outOfMemory`.
    func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap
}

extension ImageEffect {
    /// Nil, for effects that do more than crop and scale.
    public func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement? { nil }

    /// The canvas of its placement, or `size` if it has none.
    public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
        try placement(of: size, in: context)?.canvas ?? size
    }
}

/// An effect that keeps an image's size and validates its parameters.
protocol SizeKeepingEffect: ImageEffect {
    /// - Throws: `invalidParameter` for invalid parameters.
    func check(in context: EffectContext) throws(ImageError)
}

extension SizeKeepingEffect {
    /// `size`, after a check of the parameters.
    public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
        try check(in: context)
        return size
    }
}

/// A built-in effect, which has a name in recipes.
public protocol CodableEffect: ImageEffect, Codable {
    /// The effect's name in recipes.
    static var name: String { get }
}

extension KeyedDecodingContainer {
    /// The value of a parameter, or `standard` if it is missing.
    func decode<Value: Decodable>(_ key: Key, else standard: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? standard
    }
}

/// A namespace for the built-in effects.
///
/// It contains them as types; where an effect is expected, write `.shadow(blur: 12)` and the like.
public enum Effects {
    /// All effects that recipes may contain.
    package static let codable: [any CodableEffect.Type] = [
        Crop.self, Scale.self, ScaleToFit.self, ScaleToFill.self, Cover.self, CropAndScale.self,
        Opacity.self, Mask.self, MaskFromAlpha.self, Flatten.self, Overlay.self, Tint.self, ColorMatrix.self,
        Reflected.self, Reflection.self,
        GaussianBlur.self, Sharpen.self, Shadow.self,
        CornerRadius.self, Circle.self, Border.self,
        Rotate.self, Flip.self, SmartCrop.self,
        Trim.self, Extend.self, Text.self,
    ]
}

extension Effects {
    /// Applies a closure.
    ///
    /// Closures can't be compared, so the identifier must describe what the closure does, with its parameters. Recipes
    /// can't contain custom effects.
    public struct Custom: ImageEffect {
        /// Distinguishes this effect from others, in the form `com.example.vignette`.
        public var identifier: String
        /// Makes a new image from one. Called on any number of threads at once.
        public var body: @Sendable (Image) throws(ImageError) -> Image

        /// An effect that makes a new image with `body`.
        ///
        /// `body` receives an upright RGBA image, premultiplied if it has alpha, whose scale is the number of pixels
        /// per unit of length. It may return an image of any format and size. `resultSize` can't predict a different
        /// size and returns the original's.
        public init(identifier: String, _ body: @escaping @Sendable (Image) throws(ImageError) -> Image) {
            self.identifier = identifier
            self.body = body
        }

        /// The effect's name and identifier.
        public var identity: EffectIdentity { EffectIdentity("custom", .text(identifier)) }

        /// Whether both have the same identifier.
        public static func == (a: Custom, b: Custom) -> Bool { a.identifier == b.identifier }

        /// Hashes the identifier.
        public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

        /// The image that the closure returns.
        /// - Throws: The closure's errors, `limitExceeded` for more pixels than allowed.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let result = try body(Image(bitmap, scale: context.pixelsPerUnit))
            try context.validated(result.size)
            return try result.bitmap().working(context.options.bitsPerChannel)
        }
    }
}

extension ImageEffect where Self == Effects.Custom {
    /// Applies a closure; `identifier` must describe what it does, with its parameters.
    public static func custom(
        _ identifier: String, _ body: @escaping @Sendable (Image) throws(ImageError) -> Image
    ) -> Self {
        Self(identifier: identifier, body)
    }
}
