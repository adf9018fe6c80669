#if GTK
internal import ImageFormats
internal import Tessera

/// An image that was opened: by its tiles, or as an animation.
enum OpenedPicture: Sendable {
    case still(TiledImage)
    /// A drawing, which is drawn anew at each zoom.
    case vector(TiledImage, EncodedImage)
    /// What plays while it arrives, and the task that brings the rest.
    case animation(ImageContainer, ImageAnimation, ImageTask)

    /// Opens what `item` stands for: returns when its size is known, the rest comes while it is shown.
    init(_ item: ViewerItem) async throws {
        if let path = item.path {
            // A file that is no image of ours, or not there, is said to be so by whoever opens it next.
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

    /// The animation, as soon as its second frame is there; nil for what has only one.
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
