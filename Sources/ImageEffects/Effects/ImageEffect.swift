public import Raster

/// Something to be done to a picture: a small value that can be compared, kept and sent anywhere.
///
/// Effects compose: `EffectChain` is one too. They work on any number of threads at once, on the same picture too.
///
/// ```swift
/// let card = try image.applying(.scaleToFit(width: 800, height: 600), .cornerRadius(20), .shadow(blur: 12))
/// ```
public protocol ImageEffect: Hashable, Sendable {
    /// What tells the effect from every other, the same in every run: results can be kept by it.
    var identity: EffectIdentity { get }

    /// What of a picture of `size` the effect shows, and where, if all it does is to crop and scale; else nil.
    ///
    /// A chain that begins with such effects has the picture decoded no larger than it needs.
    /// - Throws: `invalidParameter` for parameters that make no sense for `size`.
    func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement?

    /// The size of what becomes of a picture of `size`.
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

/// An effect with a name in recipes: one that Tessera brings along.
public protocol CodableEffect: ImageEffect, Codable {
    /// What recipes call it.
    static var name: String { get }
}
