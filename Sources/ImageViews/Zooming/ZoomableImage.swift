public import ImagePyramid
public import Observation
public import Raster

/// An image of any size in a view that zooms: loads the tiles that the view needs, and says what is to be drawn.
///
/// Change `zoom`, draw `drawing`. Tiles are loaded a few at a time, the most urgent first, and let go of when they are no
/// longer wanted; until they come others stand in. An image that is still arriving, or comes in passes, gets better in
/// place.
@MainActor @Observable public final class ZoomableImage {
    /// Where the image is in the view. What is changed here takes effect at once.
    public var zoom: ZoomModel { didSet { if zoom != oldValue { update() } } }
    /// What is to be drawn, in any order: nothing is drawn twice.
    public private(set) var drawing: [TileDrawing] = []
    /// Bytes that tiles may take at the most, 4 for each pixel; of a small view they take less.
    public var tileBudget: Int { didSet { update() } }
    /// Why something is missing that will never come, unless `retry` helps.
    public internal(set) var error: ImageError?
    /// Whether anything that is visible is being loaded.
    public internal(set) var isLoading = false
    /// Whether the image's tiles may still change, as its bytes come.
    public internal(set) var isArriving = false

    /// 192 MiB.
    nonisolated public static let defaultTileBudget = 192 << 20
    /// How many tiles are loaded at a time.
    package nonisolated static let loadCount = 4

    /// What makes a tile of an image that is shown otherwise than its file has it.
    package typealias TileMaker = @Sendable (TileAddress) async throws(ImageError) -> Image

    @ObservationIgnored private var content: (any ZoomableContent)?
    private var tiles: TileLoader? { content as? TileLoader }

    /// An image by its tiles.
    public convenience init(_ picture: TiledImage, tileBudget: Int = ZoomableImage.defaultTileBudget) {
        self.init(picture, tileBudget: tileBudget, makingTiles: nil)
    }

    /// An image by tiles that are made of its own, each of the same size.
    package init(
        _ picture: TiledImage, tileBudget: Int = ZoomableImage.defaultTileBudget, makingTiles makeTile: TileMaker?
    ) {
        zoom = ZoomModel(pictureSize: picture.size)
        self.tileBudget = tileBudget
        isArriving = true
        content = TileLoader(picture, making: makeTile, for: self)
    }

    /// An image that is in memory as a whole, or is decoded now.
    public init(_ image: Image) {
        zoom = ZoomModel(pictureSize: image.size)
        tileBudget = 0
        content = WholeContent(image, for: self)
    }

    /// An image that is drawn anew for each zoom, as sharp as the display: an SVG, by its `EncodedImage`.
    public init(vector provider: any BitmapProvider) {
        zoom = ZoomModel(pictureSize: provider.info.size)
        tileBudget = 0
        content = VectorContent(provider, for: self)
    }

    /// Bytes that tiles take now, 4 for each pixel.
    public var tileByteCount: Int { tiles?.byteCount ?? 0 }

    /// Lets time pass: the image goes on moving.
    /// - Returns: Whether it is still moving.
    @discardableResult
    public func advance(by time: Duration) -> Bool {
        if zoom.isMoving { zoom.advance(by: time) }
        return zoom.isMoving
    }

    /// Asks again for what failed.
    public func retry() {
        content?.retry()
        update()
    }

    /// Brings what is loaded and drawn in line with the view.
    func update() { content?.update() }

    /// Draws what there is.
    func draw() {
        if let drawing = content?.drawing(in: zoom) { self.drawing = drawing }
    }

    // MARK: For tests

    /// What the view needed when it was looked at last.
    package var schedule: TileSchedule? { tiles?.schedule }

    /// The tiles that are being loaded.
    package var loadingTiles: Set<TileAddress> { tiles?.loading ?? [] }

    /// Waits until nothing is being loaded.
    package func settle() async { await content?.settle() }

    /// Waits until nothing that is visible is being loaded.
    package func settleVisible() async { await tiles?.settleVisible() }

    /// Waits until the image has arrived, and its tiles are loaded.
    package func arrive() async {
        await tiles?.arrive()
        await settle()
    }
}

/// What a `ZoomableImage` shows, in one of the ways to get it: by tiles, as a whole, or drawn anew for each zoom.
@MainActor protocol ZoomableContent: AnyObject {
    /// Loads what the view needs now, and has it drawn.
    func update()
    /// What there is to draw; nil for what is drawn already.
    func drawing(in zoom: ZoomModel) -> [TileDrawing]?
    /// Forgets what failed, so that it is asked for again.
    func retry()
    /// Waits until nothing is being loaded.
    func settle() async
}

/// A task that is cancelled when nobody holds this any longer.
final class ScopedTask: Sendable {
    let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    deinit { task.cancel() }
}

/// An image that is in memory as a whole once it has been decoded.
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
