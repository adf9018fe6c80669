public import Raster
internal import Synchronization

/// All levels of an image as tiles of raw pixels, for display: any tile is read in microseconds, without decoding or
/// copying, even while others are still being made.
///
/// A tile is 256 × 256 pixels of 4 bytes (sRGB, premultiplied), contiguous and page-aligned in one unnamed file, which
/// disappears when the process ends, however it ends. A tile's position in the file is computed from its address. Tiles
/// at the right and bottom edges are smaller; their rows are 1024 bytes apart like all others.
///
/// Tiles are addressed in the upright image. Pixels stay in the order in which the file stores them; `orientation`
/// makes them upright.
///
/// A store is filled by a `RawTileWriter`, or by an `ArrivingImage` as bytes arrive, while any number of threads read
/// it.
public final class RawTileStore: Sendable {
    /// The place of the pixels.
    public enum Place: Hashable, Sendable {
        /// In a file in the folder; nil for the system's folder for temporary files (`TMPDIR`, else `/tmp`).
        case folder(String?)
        /// In memory, which stays occupied as long as the store lives.
        case memory
    }

    /// Options for creating a store.
    public struct Options: Sendable {
        /// The place of the pixels.
        public var place: Place
        /// The order of the channels in memory.
        public var order: TextureBuffer.Order
        /// The depth of the pyramid.
        public var depth: PyramidGeometry.Depth
        /// The limit on bytes in memory that aren't on disk yet; shared by all stores except in tests.
        package var budget = DirtyMemoryBudget.shared

        /// Creates options, by default for a file in the system's temporary folder, red first, and levels down to one
        /// tile.
        public init(
            place: Place = .folder(nil), order: TextureBuffer.Order = .rgba, depth: PyramidGeometry.Depth = .oneTile
        ) {
            self.place = place
            self.order = order
            self.depth = depth
        }

        /// Creates options with a separate budget.
        package init(
            place: Place = .folder(nil), order: TextureBuffer.Order = .rgba, depth: PyramidGeometry.Depth = .oneTile,
            budget: DirtyMemoryBudget
        ) {
            self.init(place: place, order: order, depth: depth)
            self.budget = budget
        }
    }

    /// Pixels on a tile's side.
    public static let tileSize = 256
    /// Bytes from one row of a tile to the next.
    public static let bytesPerRow = tileSize * 4
    /// Bytes reserved for each tile in the file, whatever its size: a whole number of pages on every system.
    package static let slotByteCount = tileSize * bytesPerRow
    /// A side that no format reaches; beyond it the number of tiles might overflow an Int.
    private static let maximumSideLength = 1 << 30

    /// The levels and tiles of the upright image.
    public let geometry: PyramidGeometry
    /// The orientation to apply to a tile's pixels when showing them.
    public let orientation: Orientation
    /// The order of the channels in memory.
    public let order: TextureBuffer.Order

    let file: TileFile
    let readiness: TileReadiness
    let locks = TileLocks()
    let log = EventLog<Event>()
    private let alphaMode: Mutex<AlphaMode>
    private let budget: DirtyMemoryBudget
    /// Nil for a store in memory, which the budget can't move to disk.
    private let account: DirtyMemoryBudget.Account?
    /// The number of each level's first slot.
    private let numbering: TileNumbering

    /// Creates a store for an upright image of `size`; space is used only as tiles are written.
    ///
    /// - Parameters:
    ///   - orientation: The orientation to apply to the rows that the store will be filled with.
    ///   - hasAlpha: Whether pixels may be transparent.
    /// - Throws: `invalidParameter` for an empty size; `limitExceeded` for one that doesn't fit in any file;
    ///   `inputOutput` if there isn't enough space for the file.
    public init(
        size: PixelSize, orientation: Orientation = .up, hasAlpha: Bool = false, options: Options = Options()
    ) throws(ImageError) {
        guard max(size.width, size.height) <= Self.maximumSideLength else {
            throw ImageError(
                .limitExceeded,
                "an image of \(size) is too large for a tile store; the limit for a side is \(Self.maximumSideLength)")
        }
        geometry = try PyramidGeometry(size: size, tileSize: Self.tileSize, depth: options.depth)
        self.orientation = orientation
        alphaMode = Mutex(hasAlpha ? .premultiplied : .none)
        order = options.order
        numbering = TileNumbering(geometry)
        let slotCount = numbering.count
        let (byteCount, overflows) = slotCount.multipliedReportingOverflow(by: Self.slotByteCount)
        guard !overflows else {
            throw ImageError(
                .limitExceeded, "an image of \(size) is too large for a tile store: its tiles exceed the address space")
        }
        file = try TileFile(byteCount: byteCount, in: options.place)
        readiness = TileReadiness(slotCount: slotCount)
        budget = options.budget
        account = options.place == .memory ? nil : budget.open(file, slotCount: slotCount)
    }

    deinit {
        if let account { budget.close(account) }
        // Remaining listeners receive the end.
        fail(ImageError(.cancelled, "the tile store was released"))
    }

    /// The alpha mode, `.none` or `.premultiplied`. It may change while an image arrives: a JPNG is opaque until its
    /// end is read.
    public internal(set) var alpha: AlphaMode {
        get { alphaMode.withLock { $0 } }
        set { alphaMode.withLock { $0 = newValue } }
    }

    /// The file's size in bytes; tiles that aren't written yet take no space on disk.
    public var byteCount: Int { file.byteCount }

    /// An estimate of the bytes that are in memory and not on disk; 0 for a store in memory.
    public var dirtyByteCount: Int { account.map { budget.byteCount(of: $0) } ?? 0 }

    /// The slot of a tile. Tiles that are made together, a row of the upright image or a column, are adjacent.
    func slot(_ address: TileAddress) -> Int {
        precondition(geometry.contains(address))
        let (line, index, count) =
            orientation.swapsSides
            ? (address.column, address.row, geometry.rowCount(address.level))
            : (address.row, address.column, geometry.columnCount(address.level))
        return numbering.start(of: address.level) + line * count + index
    }

    /// The pixels of a tile in its level as stored.
    package func storedRect(_ address: TileAddress) -> PixelRect {
        orientation.inverse.applied(to: geometry.rect(of: address), in: geometry.levels[address.level])
    }

    /// Writes some rows of tiles that are adjacent in the file.
    /// - Parameters:
    ///   - fill: Writes a tile's rows, `bytesPerRow` apart, at the given address.
    func write(
        _ addresses: [TileAddress], rows: Range<Int>, pass: Int,
        fill: (TileAddress, UnsafeMutableRawPointer) -> Void
    ) throws(ImageError) {
        guard let slots = slots(addresses) else { return }
        if let account { try budget.reserve(slots, for: account) }
        defer { if let account { budget.commit(slots, for: account) } }
        let scratch = try ScratchMemory(bytesPerRow: Self.bytesPerRow, rowCount: rows.count)
        let bytes = UnsafeRawBufferPointer(start: scratch.base, count: rows.count * Self.bytesPerRow)
        for (slot, address) in zip(slots, addresses) {
            fill(address, scratch.base)
            let offset = slot * Self.slotByteCount + rows.lowerBound * Self.bytesPerRow
            if pass > 1 {
                try locks.writing(slot) { () throws(ImageError) in try file.write(bytes, at: offset) }
            } else {
                try file.write(bytes, at: offset)
            }
        }
    }

    /// Marks tiles that are adjacent in the file as readable, and notifies listeners.
    func makeReady(_ addresses: [TileAddress], pass: Int, isPartial: Bool) {
        guard let slots = slots(addresses) else { return }
        readiness.add(slots, pass: pass, isPartial: isPartial)
        log.tell(.tiles(range(addresses)))
    }

    private func slots(_ addresses: [TileAddress]) -> Range<Int>? {
        addresses.first.map { slot($0)..<slot($0) + addresses.count }
    }

    /// The rectangle of a line of tiles.
    private func range(_ addresses: [TileAddress]) -> TileRange {
        let (first, last) = (addresses[0], addresses[addresses.count - 1])
        return TileRange(
            level: first.level, columns: first.column..<last.column + 1, rows: first.row..<last.row + 1)
    }

    /// Notifies listeners that every tile is complete up to `pass`.
    func endPass(_ pass: Int) {
        log.tell(.pass(pass), summary: wholeLevels + [.pass(pass)])
    }

    /// Marks the store as complete.
    func finish() { end(.complete, telling: .complete) }

    /// Ends the store with an error; no more tiles will come.
    func fail(_ error: ImageError) { end(.failed(error), telling: .failed(error)) }

    private func end(_ end: TileReadiness.End, telling event: Event) {
        guard readiness.end(end) else { return }
        if case .complete = end {
            log.tell(event, summary: wholeLevels + [event], isLast: true)
        } else {
            log.tell(event, isLast: true)
        }
    }

    private var wholeLevels: [Event] {
        geometry.levels.indices.map {
            .tiles(TileRange(level: $0, columns: 0..<geometry.columnCount($0), rows: 0..<geometry.rowCount($0)))
        }
    }
}

extension RawTileStore {
    /// A change of a store's tiles.
    public enum Event: Hashable, Sendable {
        /// These tiles are readable, or have improved in a later pass.
        case tiles(TileRange)
        /// This many passes are complete, in every tile.
        case pass(Int)
        /// All tiles are available and final.
        case complete
        /// No more tiles will come, because of this error; available ones stay.
        case failed(ImageError)
    }

    /// How much of a tile is available.
    public enum TileState: Hashable, Sendable {
        /// No rows.
        case missing
        /// All rows, as of this pass; the first is 1.
        case ready(pass: Int)
        /// The image ended within the tile: missing rows are transparent, or black in an opaque image.
        case partial
    }
}
