#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import ImageFormats
internal import Raster

extension ImageDecoders {
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

/// One pixel that can't be seen.
private struct TransparentPixel: BitmapProvider {
    let info = BitmapInfo(size: PixelSize(width: 1, height: 1), format: .rgba8, alpha: .premultiplied)

    func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap { try MutableBitmap(info).freeze() }
}
