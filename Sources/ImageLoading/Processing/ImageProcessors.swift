public import ImageEffects
public import Raster

/// The processors that Tessera brings along.
///
/// Where a processor is asked for, write `.resize(width: 100)` and the like.
public enum ImageProcessors {}

extension ImageProcessors {
    /// Does what several processors do, one after the other.
    ///
    /// If the first one decodes no more than it needs, or draws a drawing at its size, it does so here too.
    public struct Composition: DeferredImageProcessing {
        /// The processors, the first to be applied first.
        public let processors: [any ImageProcessing]

        /// Does what `processors` do, in this order.
        public init(_ processors: [any ImageProcessing]) { self.processors = processors }

        /// The picture after the last processor.
        public func process(_ image: Image) throws -> Image {
            try processors.reduce(image) { try $1.process($1 is any DeferredImageProcessing ? $0 : $0.decompressed()) }
        }

        /// The container after the last processor.
        public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
            try processors.reduce(container) { container, processor in
                var container = container
                if !container.isPlaceholder, !(processor is any DeferredImageProcessing) {
                    container.image = try container.image.decompressed()
                }
                return try processor.process(container, context: context)
            }
        }

        /// The processors' identities in their order.
        public var identity: EffectIdentity { EffectIdentity("composition", processors.map(\.identity)) }
        /// The same as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.Composition {
    /// Does what several processors do, one after the other.
    public static func composition(_ processors: [any ImageProcessing]) -> Self { Self(processors) }
}

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
