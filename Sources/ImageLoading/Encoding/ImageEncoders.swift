public import Essentials
public import ImageFormats
public import Raster

/// Tessera's built-in encoders.
public enum ImageEncoders {}

extension ImageEncoders {
    /// Encodes opaque images as JPEG and others as PNG; animations stay animated.
    ///
    /// Images are written upright, with their colour profile and without other metadata. Containers with encoded bytes
    /// attached, such as animations, are written as those bytes. An animation whose pixels were changed is written in
    /// its original format if that can be encoded, else as GIF if it is opaque and as PNG if not.
    public struct Default: ImageEncoding, Hashable {
        /// The quality of lossy formats, above 0 to 1.
        public var compressionQuality: Double
        /// Whether opaque images become HEIC instead of JPEG, if a codec can encode it.
        public var isHEIFPreferred: Bool
        /// Whether an image with an alpha channel but no transparent pixels counts as opaque.
        public var examinesPixels: Bool

        /// Creates an encoder.
        public init(compressionQuality: Double = 0.8, isHEIFPreferred: Bool = false, examinesPixels: Bool = true) {
            self.compressionQuality = compressionQuality
            self.isHEIFPreferred = isHEIFPreferred
            self.examinesPixels = examinesPixels
        }

        /// Encodes `image`.
        /// - Throws: `ImageError`.
        public func encode(image: Image) throws -> Data { try encode(image, .default) }

        /// Returns the attached bytes, or encodes the animation or the image.
        /// - Throws: `ImageError`, and what an animation's processors throw.
        public func encode(_ container: ImageContainer, context: ImageEncodingContext) throws -> Data {
            if let data = container.data { return data }
            let codecs = context.codecs
            guard let animation = container.animation else { return try encode(container.image, codecs) }
            return try animation.encoded(options, codecs) { first in
                ImageDestination.defaultFormat(
                    for: first.info, isAnimated: true, source: container.type, prefersHEIF: isHEIFPreferred,
                    registry: codecs)
            }
        }

        private func encode(_ image: Image, _ codecs: CodecRegistry) throws -> Data {
            let bitmap = try image.bitmap()
            let format = ImageDestination.defaultFormat(
                for: bitmap, examinesPixels: examinesPixels, prefersHEIF: isHEIFPreferred, registry: codecs)
            return Data(try ImageDestination(format: format, options: options, registry: codecs).encode(bitmap))
        }

        private var options: EncodingOptions { EncodingOptions(quality: compressionQuality) }
    }

    /// Encodes every image in one format, with the codecs of the context, or of `CodecRegistry.default` without one.
    ///
    /// ```swift
    /// let encoder = ImageEncoders.ImageIO(type: .heif, compressionRatio: 0.8)
    /// let data = try encoder.encode(image: image)
    /// ```
    public struct ImageIO: ImageEncoding, Hashable {
        /// The format to write. `.heif` means HEIC if only that can be encoded.
        public var type: ImageFormat
        /// The quality of lossy formats, above 0 to 1.
        public var compressionRatio: Double

        /// Creates an encoder for `type`.
        public init(type: ImageFormat, compressionRatio: Double = 0.8) {
            self.type = type
            self.compressionRatio = compressionRatio
        }

        /// Whether images can be encoded as `type`.
        public static func isSupported(type: ImageFormat, by codecs: CodecRegistry = .default) -> Bool {
            codecs.canEncode(format(for: type, codecs))
        }

        /// Encodes `image`, upright.
        /// - Throws: `ImageError`: `unsupported` for a format that can't be encoded.
        public func encode(image: Image) throws -> Data { try encode(image, .default) }

        /// Encodes the animation if the format supports it, else the image.
        /// - Throws: `ImageError`, and what an animation's processors throw.
        public func encode(_ container: ImageContainer, context: ImageEncodingContext) throws -> Data {
            let codecs = context.codecs
            let format = Self.format(for: type, codecs)
            guard let animation = container.animation, codecs.capabilities(of: format).contains(.encodeAnimation)
            else { return try encode(container.image, codecs) }
            return try animation.encoded(options, codecs) { _ in format }
        }

        private func encode(_ image: Image, _ codecs: CodecRegistry) throws -> Data {
            let destination = try ImageDestination(
                format: Self.format(for: type, codecs), options: options, registry: codecs)
            return try Data(destination.encode(image.bitmap()))
        }

        private var options: EncodingOptions { EncodingOptions(quality: compressionRatio) }

        private static func format(for type: ImageFormat, _ codecs: CodecRegistry) -> ImageFormat {
            type == .heif && !codecs.canEncode(.heif) ? .heic : type
        }
    }
}
