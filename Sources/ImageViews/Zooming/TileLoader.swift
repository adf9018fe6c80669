internal import ImagePyramid
internal import Raster

/// The tiles of an image in a view: loads those that the view needs, and keeps stand-ins and likely ones.
@MainActor final class TileLoader: ZoomableContent {
    struct Tile {
        let image: Image
        let version: Int
        /// How often the tile had arrived when it was loaded.
        let arrivalCount: Int
    }

    private weak var owner: ZoomableImage?
    private let picture: TiledImage
    private let makeTile: ZoomableImage.TileMaker?
    /// A small image of the whole, drawn where there are no tiles.
    private var preview: Image?
    private(set) var schedule: TileSchedule?
    private var tiles: [TileAddress: Tile] = [:]
    private var loads: [TileAddress: (load: ScopedTask, number: Int)] = [:]
    private var failed: Set<TileAddress> = []
    private var lastNumber = 0
    /// Nil if all tiles are available from the start.
    private var arrival: TileArrival?
    private var listening: ScopedTask?
    /// A pending update, for all tiles that have arrived since the last.
    private var updating: Task<Void, Never>?

    init(_ picture: TiledImage, making makeTile: ZoomableImage.TileMaker?, for owner: ZoomableImage) {
        self.picture = picture
        self.makeTile = makeTile
        self.owner = owner
        if picture.access == .decoded { arrival = TileArrival(picture.geometry) }
        listen()
    }

    /// The bytes of loaded tiles, 4 for each pixel.
    var byteCount: Int { tiles.keys.reduce(0) { $0 + picture.geometry.byteCount($1) } }

    var loading: Set<TileAddress> { Set(loads.keys) }

    func retry() {
        owner?.error = picture.error
        failed = []
    }

    func settle() async {
        while let task = updating ?? loads.values.first?.load.task { await task.value }
    }

    /// Waits until no visible tile is being loaded.
    func settleVisible() async {
        while owner?.isLoading == true || updating != nil, let task = updating ?? loads.values.first?.load.task {
            await task.value
        }
    }

    /// Waits until the image has arrived.
    func arrive() async { await listening?.task.value }

    func drawing(in zoom: ZoomModel) -> [TileDrawing]? {
        schedule.map { TilePlacing(zoom).drawings(of: $0.visible, in: picture.geometry, tiles, preview: preview) }
    }

    // MARK: Arriving

    private func listen() {
        let picture = picture
        listening = ScopedTask(
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
            // A preview with bars, or of another part, would jump when the image arrives.
            let (size, whole) = (bitmap.size, picture.size)
            let width = Double(whole.width) / Double(whole.height) * Double(size.height)
            return abs(width - Double(size.width)) <= 1.5 ? Image(bitmap) : nil
        }
    }

    private func take(_ preview: Image) {
        guard self.preview == nil else { return }
        self.preview = preview
        owner?.draw()
    }

    private func take(_ event: ArrivingImage.Event) {
        switch event {
        case .header, .preview, .pass: break
        case .tiles(let range):
            guard arrival != nil else { return }
            arrival?.add(range)
            updateSoon()
        case .complete: owner?.isArriving = false
        case .failed(let error):
            owner?.isArriving = false
            owner?.error = error
        }
    }

    // MARK: Loading

    /// Schedules one update for all tiles that arrive until then, often many at a time.
    private func updateSoon() {
        guard updating == nil else { return }
        updating = Task { [weak self] in
            self?.updating = nil
            self?.owner?.update()
        }
    }

    /// The budget for a view: a few times the largest number of visible bytes of any level, plus a constant.
    private static func budget(_ zoom: ZoomModel, atMost tileBudget: Int) -> Int {
        let pixels = zoom.viewSize.width * zoom.viewSize.height * zoom.scaleFactor * zoom.scaleFactor
        // A level may have four pixels for each of the view's.
        return min(tileBudget, (24 << 20) + Int(min(pixels * 4 * 4 * 3, 1e12)))
    }

    func update() {
        guard let owner, !owner.zoom.viewSize.isEmpty else { return }
        let schedule = TileSchedule(
            owner.zoom, geometry: picture.geometry, tileBudget: Self.budget(owner.zoom, atMost: owner.tileBudget),
            held: Set(tiles.keys))
        self.schedule = schedule
        for tile in schedule.noLonger { tiles[tile] = nil }
        let wanted = schedule.now + schedule.soon
        let wantedSet = Set(wanted)
        for tile in loads.keys where !wantedSet.contains(tile) { loads[tile] = nil }
        for tile in wanted {
            if loads.count >= ZoomableImage.loadCount { break }
            guard loads[tile] == nil, !failed.contains(tile) else { continue }
            let count = arrival?.count(tile) ?? 1
            guard count > 0, tiles[tile]?.arrivalCount != count else { continue }
            load(tile, count)
        }
        let isLoading = schedule.now.contains { loads[$0] != nil }
        if owner.isLoading != isLoading { owner.isLoading = isLoading }
        owner.draw()
    }

    private func load(_ tile: TileAddress, _ count: Int) {
        lastNumber += 1
        let number = lastNumber
        let task = Task { [weak self, makeTile, picture] in
            let result: Result<Image, ImageError>
            do throws(ImageError) {
                let image = if let makeTile { try await makeTile(tile) } else { try await picture.tile(tile) }
                result = .success(image)
            } catch {
                result = .failure(error)
            }
            self?.finish(tile, number, count, result)
        }
        loads[tile] = (ScopedTask(task), number)
    }

    private func finish(_ tile: TileAddress, _ number: Int, _ count: Int, _ result: Result<Image, ImageError>) {
        // A tile that is no longer wanted, or is being loaded again.
        guard loads[tile]?.number == number else { return }
        loads[tile] = nil
        switch result {
        case .success(let image): tiles[tile] = Tile(image: image, version: number, arrivalCount: count)
        case .failure(let error):
            failed.insert(tile)
            if owner?.error == nil { owner?.error = error }
        }
        updateSoon()
    }
}

/// The tiles of an arriving image that are available, and how often each has arrived.
struct TileArrival {
    private let geometry: PyramidGeometry
    /// For each level, in row order; empty until a tile of the level has arrived.
    private var counts: [[UInt16]]

    init(_ geometry: PyramidGeometry) {
        self.geometry = geometry
        counts = geometry.levels.map { _ in [] }
    }

    /// How often a tile has arrived: 0 if it isn't available.
    func count(_ tile: TileAddress) -> Int {
        let level = counts[tile.level]
        return level.isEmpty ? 0 : Int(level[tile.row * geometry.columnCount(tile.level) + tile.column])
    }

    /// Counts tiles that have arrived, or arrived again.
    mutating func add(_ tiles: TileRange) {
        guard geometry.levels.indices.contains(tiles.level) else { return }
        let columnCount = geometry.columnCount(tiles.level)
        let rows = tiles.rows.clamped(to: 0..<geometry.rowCount(tiles.level))
        let columns = tiles.columns.clamped(to: 0..<columnCount)
        if counts[tiles.level].isEmpty {
            counts[tiles.level] = [UInt16](repeating: 0, count: columnCount * geometry.rowCount(tiles.level))
        }
        for row in rows {
            for column in columns {
                let index = row * columnCount + column
                // On overflow any other nonzero number will do.
                counts[tiles.level][index] = counts[tiles.level][index] == .max ? 1 : counts[tiles.level][index] + 1
            }
        }
    }
}
