import Foundation
import ImageFormats
import ImageLoading
import ImageViews
import Tessera

@MainActor
func show(_ url: URL, in view: ImageViewModel, placeholder: Image) async throws -> Image? {
    var request = ImageRequest(url: url, processors: [.roundedCorners(radius: 16)])
    request.isProgressiveDecodingEnabled = true
    request.thumbnail = ImageRequest.ThumbnailOptions(maxPixelSize: 320)
    view.placeholder = placeholder
    view.show(request)
    for await state in view.changes {
        if case .showing(let container) = state { return container.image }
        if case .failed(let error) = state { throw error }
    }
    return nil
}

func decodeWhileArriving(_ chunks: [Data]) throws -> [UInt8] {
    let coder = ProgressiveImageCoder()
    var received = Data()
    for chunk in chunks {
        received += chunk
        coder.updateIncrementalData(received, finished: received.count == chunks.map(\.count).reduce(0, +))
        if let image = try coder.incrementalDecodedImage() { print(image.size, "of", received.count, "bytes") }
    }
    return try coder.decode(received).data(as: .png)
}
