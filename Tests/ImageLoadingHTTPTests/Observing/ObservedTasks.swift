#if HTTP
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import ImageLoading
import Raster

/// What observers are told of.
enum ObservedTasks {
    static let request = ImageRequest(url: URL(string: "https://example.org/a.png")!)

    static func response(_ source: ImageResponse.Source, isJoined: Bool = false) throws -> ImageResponse {
        let bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 1, height: 1), format: .gray8)).freeze()
        return ImageResponse(
            container: ImageContainer(image: Image(bitmap)), request: request, urlResponse: nil, source: source,
            isJoined: isJoined, metrics: ImageTaskMetrics())
    }

    static let decodingError = ImagePipeline.Error.decoderNotRegistered(
        ImageDecodingContext(request: request, data: Data()))
}
#endif
