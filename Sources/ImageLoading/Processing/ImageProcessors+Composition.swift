public import ImageEffects
public import Raster

extension ImageProcessors {
    /// Does what several processors do, one after the other.
    public struct Composition: ImageProcessing {
        /// The processors, the first to be applied first.
        public let processors: [any ImageProcessing]

        /// Does what `processors` do, in this order.
        public init(_ processors: [any ImageProcessing]) { self.processors = processors }

        /// The picture after the last processor.
        public func process(_ image: Image) throws -> Image { try processors.reduce(image) { try $1.process($0) } }

        /// The container after the last processor.
        public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
            try processors.reduce(container) { try $1.process($0, context: context) }
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
