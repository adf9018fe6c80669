public import ImagePyramid
public import Observation
public import Raster

/// An image of any size in a zooming view: loads the tiles that the view needs, and supplies the list of drawings.
///
/// Change `zoom`, draw `drawing`. Tiles are loaded a few at a time, the most urgent first, and removed when they are no
/// longer needed; until they are loaded others stand in. An image that is still arriving, or is progressive, improves
/// in place.
@MainActor @Observable public final class ZoomableImage {
    /// The image's place in the view. Changes take effect immediately.
    public var zoom: ZoomModel { didSet { if zoom != oldValue { update() } } }
    /// The drawings, in any order, since they don't overlap.
    public private(set) var drawing: [TileDrawing] = []
    /// The largest number of bytes of tiles, 4 for each pixel; small views use less.
    public var tileBudget: Int { didSet { update() } }
    /// The error of a part that couldn't be loaded; call `retry` to try again.
    public internal(set) var error: ImageError?
    /// Whether a visible part is being loaded.
    public internal(set) var isLoading = false
    /// Whether tiles may still change because the image is arriving.
    public internal(set) var isArriving = false

    /// 192 MiB.
    nonisolated public static let defaultTileBudget = 192 << 20
    /// The largest number of tiles loaded concurrently.
    package nonisolated static let loadCount = 4

    /// Makes a tile of an image that isn't shown as stored, for example with effects.
    package typealias TileMaker = @Sendable (TileAddress) async throws(ImageError) -> Image

    @ObservationIgnored private var content: (any ZoomableContent)?
    private var tiles: TileLoader? { content as? TileLoader }

    /// An image shown by its tiles.
    public convenience init(_ picture: TiledImage, tileBudget: Int = ZoomableImage.defaultTileBudget) {
        self.init(picture, tileBudget: tileBudget, makingTiles: nil)
    }

    /// An image shown by tiles that `makeTile` makes, each of the same size as the image's own.
    package init(
        _ picture: TiledImage, tileBudget: Int = ZoomableImage.defaultTileBudget, makingTiles makeTile: TileMaker?
    ) {
        zoom = ZoomModel(pictureSize: picture.size)
        self.tileBudget = tileBudget
        isArriving = true
        content = TileLoader(picture, making: makeTile, for: self)
    }

    /// An image that is decoded as a whole.
    public init(_ image: Image) {
        zoom = ZoomModel(pictureSize: image.size)
        tileBudget = 0
        content = WholeContent(image, for: self)
    }

    /// An image that is rasterised for each zoom, as sharp as the display: an SVG, by its `EncodedImage`.
    public init(vector provider: any BitmapProvider) {
        zoom = ZoomModel(pictureSize: provider.info.size)
        tileBudget = 0
        content = VectorContent(provider, for: self)
    }

    /// The bytes of loaded tiles, 4 for each pixel.
    public var tileByteCount: Int { tiles?.byteCount ?? 0 }

    /// Advances the animation.
    /// - Returns: Whether the image is still moving.
    @discardableResult
    public func advance(by time: Duration) -> Bool {
        if zoom.isMoving { zoom.advance(by: time) }
        return zoom.isMoving
    }

    /// Loads again the parts that failed.
    public func retry() {
        content?.retry()
        update()
    }

    /// Updates loading and drawings for the view.
    func update() { content?.update() }

    /// Updates the drawings.
    func draw() {
        if let drawing = content?.drawing(in: zoom) { self.drawing = drawing }
    }

    // MARK: For tests

    /// The schedule of the last update.
    package var schedule: TileSchedule? { tiles?.schedule }

    /// The tiles being loaded.
    package var loadingTiles: Set<TileAddress> { tiles?.loading ?? [] }

    /// Waits until nothing is being loaded.
    package func settle() async { await content?.settle() }

    /// Waits until nothing visible is being loaded.
    package func settleVisible() async { await tiles?.settleVisible() }

    /// Waits until the image has arrived and its tiles are loaded.
    package func arrive() async {
        await tiles?.arrive()
        await settle()
    }
}

/// The content of a `ZoomableImage`: tiles, a whole image, or a vector image rasterised for each zoom.
@MainActor protocol ZoomableContent: AnyObject {
    /// Loads the parts that the view needs now, and updates the drawings.
    func update()
    /// The drawings; nil to keep the current ones.
    func drawing(in zoom: ZoomModel) -> [TileDrawing]?
    /// Forgets failures, so that those parts are loaded again.
    func retry()
    /// Waits until nothing is being loaded.
    func settle() async
}

/// A task that is cancelled when this object is freed.
final class ScopedTask: Sendable {
    let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    deinit { task.cancel() }
}

/// An image that is in memory as a whole once it is decoded.
@MainActor final class WholeContent: ZoomableContent {
    private weak var owner: ZoomableImage?
    private let image: Image
    private var isReady = false
    private var decoding: ScopedTask?

    init(_ image: Image, for owner: ZoomableImage) {
        self.image = image
        self.owner = owner
        if image.isDecoded { isReady = true } else { decode() }
    }

    private func decode() {
        owner?.isLoading = true
        decoding = ScopedTask(
            Task { [weak self, image] in
                let result = await ImageExecutor.shared.run {
                    Result { () throws(ImageError) in _ = try image.storedBitmap() }
                }
                self?.finish(result)
            })
    }

    private func finish(_ result: Result<Void, ImageError>) {
        owner?.isLoading = false
        switch result {
        case .success: isReady = true
        case .failure(let error): owner?.error = error
        }
        owner?.update()
    }

    func update() { owner?.draw() }

    func drawing(in zoom: ZoomModel) -> [TileDrawing]? { isReady ? [TilePlacing(zoom).drawing(of: image)] : [] }

    func retry() {
        owner?.error = nil
        if !isReady, owner?.isLoading == false { decode() }
    }

    func settle() async { repeat { await decoding?.task.value } while owner?.isLoading == true }
}
