#if GTK
internal import ImageFormats
internal import ImageLoading
internal import ImageViews
internal import Tessera

/// An opened image: its tiles, or an animation.
enum OpenedPicture: Sendable {
    case still(TiledImage)
    /// A vector image, rasterised at each zoom.
    case vector(TiledImage, EncodedImage)
    /// An animation, which plays while it arrives, and the task that loads the rest.
    case animation(ImageContainer, ImageAnimation, ImageTask)

    /// Opens `item`. Returns when its size is known; the rest is loaded while it is shown.
    init(_ item: ViewerItem) async throws {
        if let path = item.path {
            // If the file is missing or isn't an image, opening it below throws the error.
            let header = try? await Self.header(path)
            if Self.isAnimation(header), let opened = try await Self.animation(item) {
                self = opened
                return
            }
            let tiles = try await TiledImage(viewing: item.url)
            if let header, CodecRegistry.default.capabilities(of: header.format).contains(.vector) {
                self = .vector(tiles, try await Self.drawing(path))
            } else {
                self = .still(tiles)
            }
            return
        }
        let picture = try await TiledImage(viewing: item.url)
        if Self.isAnimation(picture.header), let opened = try await Self.animation(item) {
            self = opened
        } else {
            self = .still(picture)
        }
    }

    private static func isAnimation(_ header: ImageHeader?) -> Bool {
        guard let sequence = header?.sequence else { return false }
        return sequence.kind == .animation && sequence.count != 1
    }

    private static func header(_ path: String) async throws -> ImageHeader {
        try await withTaskExecutorPreference(ImageExecutor.shared) {
            try ImageSource.header(of: Source(path: path))
        }
    }

    private static func drawing(_ path: String) async throws -> EncodedImage {
        try await withTaskExecutorPreference(ImageExecutor.shared) {
            try EncodedImage(Source(path: path).bytes(limit: 64 << 20))
        }
    }

    /// The animation, as soon as its second frame is decoded; nil for a single frame.
    private static func animation(_ item: ViewerItem) async throws -> OpenedPicture? {
        var request = ImageRequest(url: item.url)
        request.isProgressiveDecodingEnabled = true
        let task = ImagePipeline.shared.imageTask(with: request)
        return try await withTaskCancellationHandler {
            for await event in task.events {
                switch event {
                case .progress: break
                case .preview(let part):
                    guard let animation = part.container.animation, animation.durations.count > 1 else { continue }
                    return .animation(part.container, animation, task)
                case .finished(let result):
                    let container = try result.get().container
                    guard let animation = container.animation, animation.frameCount != 1 else { return nil }
                    return .animation(container, animation, task)
                }
            }
            return nil
        } onCancel: {
            task.cancel()
        }
    }
}
#endif
