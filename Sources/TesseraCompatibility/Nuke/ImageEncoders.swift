public import Essentials
public import ImageFormats
public import ImageLoading
public import Raster
internal import Synchronization

/// Nuke's built-in encoders, which return nil where those of `ImageLoading.ImageEncoders` throw.
public enum ImageEncoders {
    /// Encodes opaque images as JPEG, or as HEIC if preferred, and others as PNG.
    public struct Default: ImageEncoding {
        /// The quality of lossy formats, above 0 to 1.
        public var compressionQuality: Float

        /// Creates an encoder.
        public init(compressionQuality: Float = 0.8) { self.compressionQuality = compressionQuality }

        /// Whether opaque images become HEIC instead of JPEG, if a codec can encode it; false by default.
        ///
        /// Applies to all encoders of this type, and to all pipelines that take theirs from
        /// `ImageEncoderRegistry.shared`, as they do by default.
        public static var isHEIFPreferred: Bool {
            get { registration.withLock { $0 != nil } }
            set {
                registration.withLock { token in
                    guard newValue != (token != nil) else { return }
                    if let old = token { ImageEncoderRegistry.shared.unregister(old) }
                    token =
                        newValue
                        ? ImageEncoderRegistry.shared.register { _ in
                            ImageLoading.ImageEncoders.Default(isHEIFPreferred: true)
                        } : nil
                }
            }
        }

        private static let registration = Mutex<RegistrationToken?>(nil)

        private var encoder: ImageLoading.ImageEncoders.Default {
            .init(compressionQuality: Double(compressionQuality), isHEIFPreferred: Self.isHEIFPreferred)
        }

        /// Encodes `image`; nil if it can't be decoded or encoded.
        public func encode(image: PlatformImage) -> Data? { try? encoder.encode(image: image) }

        /// Returns the attached bytes, or encodes the animation or the image.
        /// - Throws: `ImageError`, and what an animation's processors throw.
        public func encode(_ container: ImageContainer, context: ImageEncodingContext) throws -> Data {
            try encoder.encode(container, context: context)
        }
    }

    /// Encodes every image in one format.
    ///
    /// ```swift
    /// let encoder = ImageEncoders.ImageIO(type: .heif, compressionRatio: 0.8)
    /// let data = encoder.encode(image: image)
    /// ```
    public struct ImageIO: ImageEncoding {
        /// The format to write. `.heif` means HEIC if only that can be encoded.
        public let type: ImageType
        /// The quality of lossy formats, above 0 to 1.
        public let compressionRatio: Float

        /// Creates an encoder for `type`.
        public init(type: ImageType, compressionRatio: Float = 0.8) {
            self.type = type
            self.compressionRatio = compressionRatio
        }

        /// Whether images can be encoded as `type`.
        public static func isSupported(type: ImageType) -> Bool {
            ImageLoading.ImageEncoders.ImageIO.isSupported(type: type)
        }

        private var encoder: ImageLoading.ImageEncoders.ImageIO {
            .init(type: type, compressionRatio: Double(compressionRatio))
        }

        /// Encodes `image`; nil if it can't be decoded, or its format can't be encoded.
        public func encode(image: PlatformImage) -> Data? { try? encoder.encode(image: image) }

        /// Encodes the animation if the format supports it, else the image.
        /// - Throws: `ImageError`, and what an animation's processors throw.
        public func encode(_ container: ImageContainer, context: ImageEncodingContext) throws -> Data {
            try encoder.encode(container, context: context)
        }
    }
}
