public import ImageEffects
public import Raster

extension ImageProcessors {
    /// Does whatever a closure does.
    public struct Anonymous: ImageProcessing {
        /// What tells the closure and what it has captured from every other, the same in every run.
        public let identifier: String
        private let closure: @Sendable (Image) throws -> Image

        /// Does what `closure` does, which `id` has to say.
        public init(id: String, _ closure: @escaping @Sendable (Image) throws -> Image) {
            identifier = id
            self.closure = closure
        }

        /// What the closure makes of the picture.
        public func process(_ image: Image) throws -> Image { try closure(image) }

        /// The name and the identifier.
        public var identity: EffectIdentity { EffectIdentity("anonymous", .text(identifier)) }
    }
}

extension ImageProcessing where Self == ImageProcessors.Anonymous {
    /// Does what `closure` does, which `id` has to say.
    public static func process(id: String, _ closure: @escaping @Sendable (Image) throws -> Image) -> Self {
        Self(id: id, closure)
    }
}
