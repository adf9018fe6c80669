public import Essentials
public import ImageFormats
internal import Raster
internal import Synchronization

/// Tessera's built-in decoders.
public enum ImageDecoders {}

extension ImageDecoders {
    /// Decodes every format that the context's codecs support.
    ///
    /// An image in several passes (progressive JPEG, interlaced PNG) has a preview for each complete pass, with the
    /// pass's number under `ImageContainer.UserInfoKey.scanNumberKey`. If the bytes complete several passes, there is
    /// one preview, of the newest, which may already contain rows of the next. An animation has a preview for each
    /// batch of new frames. Previews are upright, with the requested colours and size, like the final image.
    ///
    /// The request's `thumbnail` and `decoding` select size and options. Truncated or damaged bytes throw
    /// `ImageDecodingError.incomplete` with the part that could be decoded.
    public final class Default: ImageDecoderRegistering {
        private let decoding: PictureDecoding
        /// Never contended, as the protocol allows one call at a time.
        private let session: Mutex<PictureSession?>

        /// Creates a decoder with the options of the context's request.
        public init(context: ImageDecodingContext) {
            decoding = PictureDecoding(context.request, context.codecs)
            session = Mutex(nil)
        }

        /// Nil for bytes in an unsupported format. Checks the first bytes only.
        public convenience init?(data: Data, context: ImageDecodingContext) {
            let bytes = data.bytes
            guard case .match = context.codecs.identify(FormatProbe(whole: bytes)) else { return nil }
            self.init(context: context)
        }

        /// Nil if there are too few bytes to identify the format, or it can't be decoded incrementally.
        public convenience init?(partiallyDownloadedData data: Data, context: ImageDecodingContext) {
            let registry = context.codecs
            let bytes = data.bytes
            guard case .match(let format, _) = registry.identify(FormatProbe(streamPrefix: bytes)),
                registry.capabilities(of: format).contains(.incremental)
            else { return nil }
            self.init(context: context)
        }

        /// Decodes `data`, reusing the work done for previews.
        /// - Throws: `ImageDecodingError.incomplete` if only a part can be decoded, `ImageError` if nothing can.
        public func decode(_ data: Data) throws -> ImageContainer {
            let decoded = try session.withLock { session in
                defer { session = nil }
                return try session?.decode(data)
            }
            return try decoded ?? decoding.decode(data)
        }

        /// Returns a preview if the bytes complete another pass or frame.
        public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            session.withLock { session in
                if session == nil { session = PictureSession(decoding) }
                return session?.preview(data)
            }
        }
    }

    /// Decodes nothing: the image is a transparent pixel, with the encoded bytes attached, for instance for a player.
    public struct Empty: ImageDecoding {
        /// Whether to return the bytes received so far as previews.
        public var isProgressive: Bool
        /// The format to report; nil to detect it.
        public var assetType: ImageFormat?

        /// Creates a decoder that decodes nothing.
        public init(isProgressive: Bool = false, assetType: ImageFormat? = nil) {
            self.isProgressive = isProgressive
            self.assetType = assetType
        }

        /// Returns a transparent pixel with the bytes attached.
        public func decode(_ data: Data) throws -> ImageContainer { container(data, isPreview: false) }

        /// Returns a transparent pixel with the bytes so far as a preview; nil unless `isProgressive` is set.
        public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            isProgressive ? container(data, isPreview: true) : nil
        }

        private func container(_ data: Data, isPreview: Bool) -> ImageContainer {
            let type = assetType ?? ImageFormat(data: data, isComplete: !isPreview)
            var container = ImageContainer(image: Self.pixel, type: type, isPreview: isPreview, data: data)
            container.isPlaceholder = true
            return container
        }

        private static let pixel = Image(deferred: TransparentPixel())
    }
}

private struct TransparentPixel: BitmapProvider {
    let info = BitmapInfo(size: PixelSize(width: 1, height: 1), format: .rgba8, alpha: .premultiplied)

    func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap { try MutableBitmap(info).freeze() }
}
