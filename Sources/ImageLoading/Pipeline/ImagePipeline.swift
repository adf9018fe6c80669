#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Raster
internal import Synchronization

/// Loads pictures: from caches, files, servers, closures or bytes, decoded and processed, each only once however many
/// ask for it.
///
/// ```swift
/// let image = try await ImagePipeline.shared.image(for: url)
///
/// let pipeline = ImagePipeline { $0.isProgressiveDecodingEnabled = true }
/// let task = pipeline.imageTask(with: ImageRequest(url: url, processors: [.resize(width: 320)]))
/// for await preview in task.previews { show(preview.image) }
/// show(try await task.response.image)
/// ```
///
/// Work is shared at every stage: bytes are loaded once, decoded once for each size, and processors that several requests
/// begin with run once. A stage's line is served by priority. When nobody waits for a piece of work any longer it stops,
/// down to the connection.
public final class ImagePipeline: Sendable {
    private static let sharedPipeline = Mutex(ImagePipeline(configuration: .withDataCache()))

    /// The pipeline of the process, to be replaced by one of your own. It keeps the bytes of what it loads on disk, at most
    /// 150 MiB in the user's cache folder, so that pictures are there without a network too.
    public static var shared: ImagePipeline {
        get { sharedPipeline.withLock { $0 } }
        set { sharedPipeline.withLock { $0 = newValue } }
    }

    /// What the pipeline is made of.
    public let configuration: Configuration
    let loader: ImageLoader

    /// A pipeline of this configuration.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        loader = ImageLoader(configuration)
    }

    /// A pipeline of the standard configuration with the changes that `configure` makes.
    public convenience init(_ configure: (inout Configuration) -> Void) {
        var configuration = Configuration()
        configure(&configuration)
        self.init(configuration: configuration)
    }

    /// The picture at `url`.
    public func image(for url: URL) async throws(Error) -> Image { try await image(for: ImageRequest(url: url)) }

    /// The picture that `request` asks for. Cancelling the calling task cancels the loading.
    public func image(for request: ImageRequest) async throws(Error) -> Image { try await response(for: request).image }

    /// The picture that `request` asks for, and where it came from.
    public func response(for request: ImageRequest) async throws(Error) -> ImageResponse {
        try await imageTask(with: request).response
    }

    /// Begins to load the picture at `url`.
    public func imageTask(with url: URL) -> ImageTask { imageTask(with: ImageRequest(url: url)) }

    /// Begins to load the picture that `request` asks for.
    public func imageTask(with request: ImageRequest) -> ImageTask {
        let task = ImageTask(request, graph: loader.graph)
        loader.observe(task)
        loader.start(task)
        return task
    }

    /// Cancels everything. Whatever is asked for afterwards is cancelled as well.
    public func invalidate() { loader.graph.invalidate() }

    /// Returns when everything that the pipeline wants on disk is there.
    public func flush() async {
        await loader.background.wait()
        await configuration.dataCache?.flush()
    }
}
