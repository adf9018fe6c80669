#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import ImageFormats
public import Raster

extension ImageEncoders {
    /// Writes every picture in one format, by whatever codec `CodecRegistry.default` has for it.
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
        public static func isSupported(type: ImageFormat) -> Bool {
            CodecRegistry.default.canEncode(format(for: type))
        }

        /// The file for `image`, upright.
        /// - Throws: `ImageError`: `unsupported` for a format that can't be written.
        public func encode(image: Image) throws -> Data {
            Data(try ImageDestination(format: format, options: options).encode(image.uprightBitmap()))
        }

        /// The file for the animation where the format has them, else for the picture.
        /// - Throws: `ImageError`, and what an animation's processors throw.
        public func encode(_ container: ImageContainer, context: ImageEncodingContext) throws -> Data {
            guard let animation = container.animation,
                CodecRegistry.default.capabilities(of: format).contains(.encodeAnimation)
            else { return try encode(image: container.image) }
            return try animation.encoded(options) { _ in format }
        }

        private var format: ImageFormat { Self.format(for: type) }
        private var options: EncodingOptions { EncodingOptions(quality: compressionRatio) }

        private static func format(for type: ImageFormat) -> ImageFormat {
            type == .heif && !CodecRegistry.default.canEncode(.heif) ? .heic : type
        }
    }
}
