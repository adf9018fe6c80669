public import Raster

extension Effects {
    /// Does whatever a closure does.
    ///
    /// Effects can't look into closures: the identifier is all that tells one from another, so it has to say what the
    /// closure does and with which parameters. A custom effect has no place in a recipe.
    public struct Custom: ImageEffect {
        /// What tells this effect from others, in the form `com.example.vignette`.
        public var identifier: String
        /// What makes a new picture of one. Called on any number of threads at once.
        public var body: @Sendable (Image) throws(ImageError) -> Image

        /// Has `body` make a new picture.
        ///
        /// The picture that it's given is upright RGBA, premultiplied where it has alpha, and has as many pixels to a
        /// point as lengths in effects do. The new one may be of any kind. Its size may be another: `resultSize` can't
        /// know and says that of the picture.
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

        /// What the closure makes of the picture.
        /// - Throws: What the closure throws, `limitExceeded` for more pixels than allowed.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let result = try body(Image(bitmap, scale: context.pixelsPerUnit))
            try context.validated(result.size)
            return try result.uprightBitmap().working(context.options.bitsPerChannel)
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
