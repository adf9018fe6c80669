public import Essentials
public import ImageFormats
public import Raster

/// The encoders that Tessera brings along.
public enum ImageEncoders {}

extension ImageEncoders {
    /// Writes opaque pictures as JPEG and others as PNG; animations stay animations.
    ///
    /// Pictures are written upright, with their colour profile and without other metadata. An animation, and whatever
    /// else has its encoded bytes attached, keeps those; an animation whose pixels were changed is written in the format
    /// that it came in where that can be written, else as GIF if it is opaque and as PNG if it isn't.
    public struct Default: ImageEncoding, Hashable {
        /// How much of the picture survives a lossy format, above 0 to 1.
        public var compressionQuality: Double
        /// Whether opaque pictures become HEIC instead of JPEG, where a codec that writes it is there.
        public var isHEIFPreferred: Bool
        /// Whether a picture that could have transparent pixels and has none counts as opaque.
        public var examinesPixels: Bool

        /// An encoder with these preferences.
        public init(compressionQuality: Double = 0.8, isHEIFPreferred: Bool = false, examinesPixels: Bool = true) {
            self.compressionQuality = compressionQuality
            self.isHEIFPreferred = isHEIFPreferred
            self.examinesPixels = examinesPixels
        }

        /// The file for `image`.
        /// - Throws: `ImageError`.
        public func encode(image: Image) throws -> Data { try encode(image, .default) }

        /// The attached bytes, or the file for the animation or the picture.
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

    /// Writes every picture in one format, by whatever codec the context has for it, or `CodecRegistry.default` without one.
    ///
    /// ```swift
    /// let encoder = ImageEncoders.ImageIO(type: .heif, compressionRatio: 0.8)
    /// let data = try encoder.encode(image: image)
    /// ```
    public struct ImageIO: ImageEncoding, Hashable {
        /// What is written. `.heif` means HEIC where only that can be written.
        public var type: ImageFormat
        /// How much of the picture survives a lossy format, above 0 to 1.
        public var compressionRatio: Double

        /// An encoder for `type`.
        public init(type: ImageFormat, compressionRatio: Double = 0.8) {
            self.type = type
            self.compressionRatio = compressionRatio
        }

        /// Whether pictures can be written as `type`.
        public static func isSupported(type: ImageFormat, by codecs: CodecRegistry = .default) -> Bool {
            codecs.canEncode(format(for: type, codecs))
        }

        /// The file for `image`, upright.
        /// - Throws: `ImageError`: `unsupported` for a format that can't be written.
        public func encode(image: Image) throws -> Data { try encode(image, .default) }

        /// The file for the animation where the format has them, else for the picture.
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
