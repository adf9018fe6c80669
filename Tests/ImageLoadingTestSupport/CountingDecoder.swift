#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
package import ImageLoading
package import Raster
internal import Synchronization

/// A decoder for pictures of one pixel whose value is the first byte; counts what it decodes.
package final class CountingDecoder: ImageDecoding {
    private let counts: Mutex<(whole: Int, partial: Int)> = Mutex((0, 0))
    private let makesPreviews: Bool

    /// - Parameter makesPreviews: Whether every call with the bytes so far gives a preview, of the last byte's value.
    package init(makesPreviews: Bool = false) { self.makesPreviews = makesPreviews }

    /// How many pictures it has decoded.
    package var decodeCount: Int { counts.withLock { $0.whole } }
    /// How many previews it has made.
    package var previewCount: Int { counts.withLock { $0.partial } }

    package func decode(_ data: Data) throws -> ImageContainer {
        counts.withLock { $0.whole += 1 }
        guard let first = data.first, first != 0 else { throw ImageError(.corrupt, "a zero") }
        return ImageContainer(image: try .pixel(first))
    }

    package func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
        guard makesPreviews, let last = data.last, let image = try? Image.pixel(last) else { return nil }
        counts.withLock { $0.partial += 1 }
        return ImageContainer(image: image, isPreview: true)
    }
}

extension Image {
    /// A grey pixel.
    package static func pixel(_ value: UInt8) throws(ImageError) -> Image {
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 1, height: 1), format: .gray8, alpha: .none))
        bitmap.withMutableRows(0..<1) { (rows: inout MutablePixelRows) in
            var row = rows.row(0, as: Gray8.self)
            row[0] = Gray8(value)
        }
        return Image(bitmap.freeze())
    }

    /// The value of a picture of one grey pixel.
    package var pixelValue: UInt8? { try? bitmap().tightBytes().first }
}
