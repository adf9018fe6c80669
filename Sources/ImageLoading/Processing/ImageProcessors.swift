public import ImageEffects
public import Raster

/// Tessera's built-in processors.
///
/// Where a processor is expected, write `.resize(width: 100)` and the like.
public enum ImageProcessors {}

extension ImageProcessors {
    /// Applies several processors in order.
    ///
    /// If the first one supports deferred images, so does the composition.
    public struct Composition: DeferredImageProcessing {
        /// The processors, in order of application.
        public let processors: [any ImageProcessing]

        /// Creates a processor that applies `processors` in order.
        public init(_ processors: [any ImageProcessing]) { self.processors = processors }

        /// Applies the processors to `image`.
        public func process(_ image: Image) throws -> Image {
            try processors.reduce(image) { try $1.process($1 is any DeferredImageProcessing ? $0 : $0.decompressed()) }
        }

        /// Applies the processors to `container`.
        public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
            try processors.reduce(container) { container, processor in
                var container = container
                if !container.isPlaceholder, !(processor is any DeferredImageProcessing) {
                    container.image = try container.image.decompressed()
                }
                return try processor.process(container, context: context)
            }
        }

        /// The processors' identities, in order.
        public var identity: EffectIdentity { EffectIdentity("composition", processors.map(\.identity)) }
        /// The identity as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.Composition {
    /// Applies several processors in order.
    public static func composition(_ processors: [any ImageProcessing]) -> Self { Self(processors) }
}

extension ImageProcessors {
    /// Applies a closure.
    public struct Anonymous: ImageProcessing {
        /// Identifies the closure and its captured values; must be unique, and the same in every run.
        public let identifier: String
        private let closure: @Sendable (Image) throws -> Image

        /// Creates a processor from a closure. `id` must identify the closure and its captured values.
        public init(id: String, _ closure: @escaping @Sendable (Image) throws -> Image) {
            identifier = id
            self.closure = closure
        }

        /// Calls the closure with `image`.
        public func process(_ image: Image) throws -> Image { try closure(image) }

        /// The identity with the identifier.
        public var identity: EffectIdentity { EffectIdentity("anonymous", .text(identifier)) }
    }
}

extension ImageProcessing where Self == ImageProcessors.Anonymous {
    /// Applies a closure. `id` must identify it and its captured values.
    public static func process(id: String, _ closure: @escaping @Sendable (Image) throws -> Image) -> Self {
        Self(id: id, closure)
    }
}
