public import ImagePyramid
public import Observation
public import Raster

/// A picture of any size in a view that zooms: loads the tiles that the view needs, and says what is to be drawn.
///
/// Change `zoom`, draw `drawing`. Tiles are loaded a few at a time, the most urgent first, and let go of when they are no
/// longer wanted; until they come others stand in. A picture that is still arriving, or comes in passes, gets better in
/// place.
@MainActor @Observable public final class ZoomableImage {
    /// Where the picture is in the view. What is changed here takes effect at once.
    public var zoom: ZoomModel { didSet { if zoom != oldValue { update() } } }
    /// What is to be drawn, in any order: nothing is drawn twice.
    public private(set) var drawing: [TileDrawing] = []
    /// Bytes that tiles may take at the most, 4 for each pixel; of a small view they take less.
    public var tileBudget: Int { didSet { update() } }
    /// Why something is missing that will never come, unless `retry` helps.
    public private(set) var error: ImageError?
    /// Whether anything that is visible is being loaded.
    public private(set) var isLoading = false
    /// Whether the picture's tiles may still change, as its bytes come.
    public private(set) var isArriving = false

    /// 192 MiB.
    nonisolated public static let defaultTileBudget = 192 << 20
    /// How many tiles are loaded at a time.
    package nonisolated static let loadCount = 4

    /// What makes a tile of a picture that is shown otherwise than its file has it.
    package typealias TileMaker = @Sendable (TileAddress) async throws(ImageError) -> Image

    @ObservationIgnored let picture: TiledImage?
    @ObservationIgnored private let makeTile: TileMaker?
    @ObservationIgnored private let whole: Image?
    @ObservationIgnored private var wholeIsReady = false
    /// A small picture of the whole, until there is a tile of it.
    @ObservationIgnored private var preview: Image?
    @ObservationIgnored package private(set) var schedule: TileSchedule?
    @ObservationIgnored private var tiles: [TileAddress: HeldTile] = [:]
    @ObservationIgnored private var loads: [TileAddress: (load: TileLoad, number: Int)] = [:]
    @ObservationIgnored private var failed: Set<TileAddress> = []
    /// Nil where all tiles can be had from the start.
    @ObservationIgnored private var arrival: TileArrival?
    @ObservationIgnored private var listening: TileLoad?
    /// Brings what is drawn up to date with what has come, once for all that came since it was made.
    @ObservationIgnored private var updating: Task<Void, Never>?
    /// What draws the picture anew for each zoom, and what it drew last: of the whole, and of what was in the view.
    @ObservationIgnored private let vector: (any BitmapProvider)?
    @ObservationIgnored private var drawnWhole: DrawnPicture?
    @ObservationIgnored private var drawn: DrawnPicture?
    @ObservationIgnored private var lastNumber = 0

    /// What was drawn of a vector picture.
    struct DrawnPicture {
        let image: Image
        let part: DrawnPart
        let version: Int
    }

    /// A tile that is there.
    struct HeldTile {
        let image: Image
        let version: Int
        /// How often it had come when it was loaded.
        let arrivalCount: Int
    }

    /// A picture by its tiles.
    public convenience init(_ picture: TiledImage, tileBudget: Int = ZoomableImage.defaultTileBudget) {
        self.init(picture, tileBudget: tileBudget, makingTiles: nil)
    }

    /// A picture by tiles that are made of its own, each of the same size.
    package init(
        _ picture: TiledImage, tileBudget: Int = ZoomableImage.defaultTileBudget, makingTiles makeTile: TileMaker?
    ) {
        zoom = ZoomModel(pictureSize: picture.size)
        self.tileBudget = tileBudget
        self.picture = picture
        self.makeTile = makeTile
        (whole, vector) = (nil, nil)
        if picture.access == .decoded { arrival = TileArrival(picture.geometry) }
        isArriving = true
        listen(to: picture)
    }

    /// A picture that is in memory as a whole, or is decoded now.
    public init(_ image: Image) {
        zoom = ZoomModel(pictureSize: image.size)
        tileBudget = 0
        (picture, makeTile, vector) = (nil, nil, nil)
        whole = image
        if image.isDecoded {
            wholeIsReady = true
        } else {
            decode(image)
        }
    }

    /// A picture that is drawn anew for each zoom, as sharp as the display: an SVG, by its `EncodedImage`.
    public init(vector provider: any BitmapProvider) {
        zoom = ZoomModel(pictureSize: provider.info.size)
        tileBudget = 0
        (picture, makeTile, whole) = (nil, nil, nil)
        vector = provider
    }

    /// Bytes that tiles take now, 4 for each pixel.
    public var tileByteCount: Int {
        guard let geometry = picture?.geometry else { return 0 }
        return tiles.keys.reduce(0) { $0 + geometry.byteCount($1) }
    }

    /// Lets time pass: the picture goes on moving.
    /// - Returns: Whether it is still moving.
    @discardableResult
    public func advance(by time: Duration) -> Bool {
        if zoom.isMoving { zoom.advance(by: time) }
        return zoom.isMoving
    }

    /// Asks again for what failed.
    public func retry() {
        error = picture?.error
        failed = []
        if let whole, !wholeIsReady, !isLoading { decode(whole) }
        if vector != nil { error = nil }
        update()
    }

    /// The tiles that are being loaded.
    package var loadingTiles: Set<TileAddress> { Set(loads.keys) }

    /// Waits until nothing is being loaded.
    package func settle() async {
        while let task = updating ?? loads.values.first?.load.task { await task.value }
        guard picture == nil else { return }
        repeat { await listening?.task.value } while isLoading
    }

    /// Waits until nothing that is visible is being loaded.
    package func settleVisible() async {
        while isLoading || updating != nil, let task = updating ?? loads.values.first?.load.task { await task.value }
    }

    /// Waits until the picture has arrived, and its tiles are loaded.
    package func arrive() async {
        await listening?.task.value
        await settle()
    }

    // MARK: Arriving

    private func decode(_ image: Image) {
        isLoading = true
        listening = TileLoad(
            Task { [weak self] in
                let result: Result<Void, ImageError> = await ImageExecutor.shared.run {
                    do throws(ImageError) {
                        _ = try image.bitmap()
                        return .success(())
                    } catch {
                        return .failure(error)
                    }
                }
                self?.finishWhole(result)
            })
    }

    private func finishWhole(_ result: Result<Void, ImageError>) {
        isLoading = false
        switch result {
        case .success: wholeIsReady = true
        case .failure(let error): self.error = error
        }
        update()
    }

    private func listen(to picture: TiledImage) {
        listening = TileLoad(
            Task { [weak self] in
                for await event in picture.events {
                    if Task.isCancelled { return }
                    if case .preview = event, self?.makeTile == nil, let preview = await Self.preview(of: picture) {
                        self?.take(preview)
                    }
                    self?.take(event)
                }
            })
    }

    nonisolated private static func preview(of picture: TiledImage) async -> Image? {
        await ImageExecutor.shared.run {
            guard let bitmap = picture.preview else { return nil }
            // One with bars, or of another part, would jump when the picture comes.
            let (size, whole) = (bitmap.size, picture.size)
            let width = Double(whole.width) / Double(whole.height) * Double(size.height)
            return abs(width - Double(size.width)) <= 1.5 ? Image(bitmap) : nil
        }
    }

    /// Has what is visible drawn, one at a time: what changed meanwhile is looked at afterwards.
    private func drawAnew(_ vector: any BitmapProvider) {
        guard !isLoading, error == nil, let part = DrawnPart(zoom), !zoom.viewSize.isEmpty else { return draw() }
        if let drawn, drawn.part.covers(zoom.visibleRect, asSharpAs: part) { return draw() }
        isLoading = true
        listening = TileLoad(
            Task { [weak self] in
                let result: Result<Bitmap, ImageError> = await ImageExecutor.shared.run {
                    do throws(ImageError) {
                        return .success(
                            try vector.makeBitmap(DecodingPlan(region: part.region, targetSize: part.size)))
                    } catch {
                        return .failure(error)
                    }
                }
                self?.finishDrawing(part, result)
            })
        draw()
    }

    private func finishDrawing(_ part: DrawnPart, _ result: Result<Bitmap, ImageError>) {
        isLoading = false
        switch result {
        case .success(let bitmap):
            lastNumber += 1
            let picture = DrawnPicture(image: Image(bitmap), part: part, version: lastNumber)
            drawn = picture
            if part.region == PixelRect(zoom.pictureSize) { drawnWhole = picture }
        case .failure(let error): self.error = error
        }
        update()
    }

    private func take(_ preview: Image) {
        guard self.preview == nil else { return }
        self.preview = preview
        draw()
    }

    private func take(_ event: ArrivingImage.Event) {
        switch event {
        case .header, .preview, .pass: break
        case .tiles(let range):
            guard arrival != nil else { return }
            arrival?.add(range)
            updateSoon()
        case .complete: isArriving = false
        case .failed(let error):
            isArriving = false
            self.error = error
        }
    }

    // MARK: Tiles

    /// Has what came looked at with all that has come until then: while a picture arrives, that is many tiles at a time.
    private func updateSoon() {
        guard updating == nil else { return }
        updating = Task { [weak self] in
            self?.updating = nil
            self?.update()
        }
    }

    /// What tiles may take now: a few times what is visible, at the level where that is most, but room for some in any view.
    private var currentBudget: Int {
        let pixels = zoom.viewSize.width * zoom.viewSize.height * zoom.scaleFactor * zoom.scaleFactor
        // A level may have four pixels for one of the view's.
        return min(tileBudget, (24 << 20) + Int(min(pixels * 4 * 4 * 3, 1e12)))
    }

    private func update() {
        if let vector { return drawAnew(vector) }
        guard let picture else { return draw() }
        guard !zoom.viewSize.isEmpty else { return }
        let schedule = TileSchedule(
            zoom, geometry: picture.geometry, tileBudget: currentBudget, held: Set(tiles.keys))
        self.schedule = schedule
        for tile in schedule.noLonger { tiles[tile] = nil }
        let wanted = schedule.now + schedule.soon
        let wantedSet = Set(wanted)
        for tile in loads.keys where !wantedSet.contains(tile) { loads[tile] = nil }
        for tile in wanted {
            if loads.count >= Self.loadCount { break }
            guard loads[tile] == nil, !failed.contains(tile) else { continue }
            let count = arrival?.count(tile) ?? 1
            guard count > 0, tiles[tile]?.arrivalCount != count else { continue }
            load(tile, from: picture, count)
        }
        let isLoading = schedule.now.contains { loads[$0] != nil }
        if self.isLoading != isLoading { self.isLoading = isLoading }
        draw()
    }

    private func load(_ tile: TileAddress, from picture: TiledImage, _ count: Int) {
        lastNumber += 1
        let number = lastNumber
        let task = Task { [weak self, makeTile] in
            let result: Result<Image, ImageError>
            do throws(ImageError) {
                let image = if let makeTile { try await makeTile(tile) } else { try await picture.tile(tile) }
                result = .success(image)
            } catch {
                result = .failure(error)
            }
            self?.finish(tile, number, count, result)
        }
        loads[tile] = (TileLoad(task), number)
    }

    private func finish(_ tile: TileAddress, _ number: Int, _ count: Int, _ result: Result<Image, ImageError>) {
        // One that isn't wanted any more, or is loaded anew.
        guard loads[tile]?.number == number else { return }
        loads[tile] = nil
        switch result {
        case .success(let image): tiles[tile] = HeldTile(image: image, version: number, arrivalCount: count)
        case .failure(let error):
            failed.insert(tile)
            self.error = self.error ?? error
        }
        updateSoon()
    }

    // MARK: Drawing

    private func draw() {
        if let whole {
            drawing = wholeIsReady ? [TilePlacing(zoom).drawing(of: whole)] : []
        } else if vector != nil {
            drawing = TilePlacing(zoom).drawings(of: drawn, within: drawnWhole)
        } else if let picture, let schedule {
            let placing = TilePlacing(zoom)
            drawing = placing.drawings(of: schedule.visible, in: picture.geometry, tiles, preview: preview)
        }
    }
}
