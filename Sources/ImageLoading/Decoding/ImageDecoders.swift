public import Essentials
public import ImageFormats
internal import Raster
internal import Synchronization

/// The decoders that Tessera brings along.
public enum ImageDecoders {}

extension ImageDecoders {
    /// Decodes every format that the context's codecs can read.
    ///
    /// A picture that comes in several passes (a progressive JPEG, an interlaced PNG) has a preview of each pass that is
    /// complete, with the pass's number under `ImageContainer.UserInfoKey.scanNumberKey`; where the bytes so far complete
    /// several, of the newest; rows of the next may be in it already. An animation has one whenever further frames are complete. Previews are upright, in the
    /// colours and at the size asked for, as the final picture is.
    ///
    /// The request says how large (`thumbnail`) and how (`decoding`) pictures are decoded. Bytes that end too early or are
    /// damaged are an `ImageDecodingError.incomplete`, with what there is.
    public final class Default: ImageDecoderRegistering {
        private let decoding: PictureDecoding
        /// Used by one call at a time, as the protocol has it: nobody waits for the lock.
        private let session: Mutex<PictureSession?>

        /// A decoder for whatever bytes it is given, as the context's request asks for.
        public init(context: ImageDecodingContext) {
            decoding = PictureDecoding(context.request, context.codecs)
            session = Mutex(nil)
        }

        /// Nil for bytes in no format that can be read. Looks at the first bytes only.
        public convenience init?(data: Data, context: ImageDecodingContext) {
            let bytes = data.bytes
            guard case .match = context.codecs.identify(FormatProbe(whole: bytes)) else { return nil }
            self.init(context: context)
        }

        /// Nil for bytes that are too few to tell their format, and for a format that is read only as a whole.
        public convenience init?(partiallyDownloadedData data: Data, context: ImageDecodingContext) {
            let registry = context.codecs
            let bytes = data.bytes
            guard case .match(let format, _) = registry.identify(FormatProbe(streamPrefix: bytes)),
                registry.capabilities(of: format).contains(.incremental)
            else { return nil }
            self.init(context: context)
        }

        /// The picture in `data`; what was done for previews isn't done again.
        /// - Throws: `ImageDecodingError.incomplete` where only a part can be decoded, `ImageError` where nothing can.
        public func decode(_ data: Data) throws -> ImageContainer {
            let decoded = try session.withLock { session in
                defer { session = nil }
                return try session?.decode(data)
            }
            return try decoded ?? decoding.decode(data)
        }

        /// A preview, where the bytes complete another pass or frame.
        public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            session.withLock { session in
                if session == nil { session = PictureSession(decoding) }
                return session?.preview(data)
            }
        }
    }

    /// Decodes nothing: the picture is a transparent pixel, the bytes are attached, for a player or another program part
    /// that draws them.
    public struct Empty: ImageDecoding {
        /// Whether the bytes so far are handed over while others arrive.
        public var isProgressive: Bool
        /// What the bytes are said to be; nil: what they look like.
        public var assetType: ImageFormat?

        /// A decoder that decodes nothing.
        public init(isProgressive: Bool = false, assetType: ImageFormat? = nil) {
            self.isProgressive = isProgressive
            self.assetType = assetType
        }

        /// The bytes with a transparent pixel.
        public func decode(_ data: Data) throws -> ImageContainer { container(data, isPreview: false) }

        /// The bytes so far with a transparent pixel, as a preview; nil unless the decoder is progressive.
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
