public import Raster
internal import Synchronization

/// All levels of a picture as tiles of plain pixels, for a screen: any tile is read in microseconds, without decoding and
/// without copying, while the rest is still being made.
///
/// A tile is 256 × 256 pixels of 4 bytes (sRGB, premultiplied), one after the other, in memory pages of its own, of one
/// file that has no name. Nothing of it is left when the process ends, whatever ends it. Its place is computed, not looked
/// up. Tiles at the right and the bottom edge are smaller; their rows lie 1024 bytes apart as all others' do.
///
/// Tiles are asked for by their place in the upright picture. Pixels stay in the order in which the file stores them: what
/// is read has to be turned as `orientation` says to be shown.
///
/// A store is filled by a `RawTileWriter`, or by an `ArrivingImage` as bytes come, and can be read by any number of
/// threads meanwhile.
public final class RawTileStore: Sendable {
    /// Where the pixels are.
    public enum Place: Hashable, Sendable {
        /// In a file in the folder; nil: in the system's folder for temporary files (`TMPDIR`, else `/tmp`).
        case folder(String?)
        /// In memory, which the system can't use for anything else meanwhile.
        case memory
    }

    /// How a store is made.
    public struct Options: Sendable {
        /// Where the pixels are.
        public var place: Place
        /// The order of the channels in memory.
        public var order: TextureBuffer.Order
        /// Which level is the last.
        public var depth: PyramidGeometry.Depth
        /// How much may be in memory that isn't on the disk yet: what all stores share, but in tests.
        package var budget = DirtyMemoryBudget.shared

        /// A file in the system's temporary folder, red first, and levels down to one tile.
        public init(
            place: Place = .folder(nil), order: TextureBuffer.Order = .rgba, depth: PyramidGeometry.Depth = .oneTile
        ) {
            self.place = place
            self.order = order
            self.depth = depth
        }

        /// As above, with a budget of its own.
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
    /// Bytes that each tile has in the file, whatever its size: whole pages on every system.
    package static let slotByteCount = tileSize * bytesPerRow
    /// Sides that no format has; beyond them numbers of tiles might not fit in an Int.
    private static let maximumSideLength = 1 << 30

    /// The upright picture's levels and tiles.
    public let geometry: PyramidGeometry
    /// How a tile's pixels have to be turned to be shown.
    public let orientation: Orientation
    /// The order of the channels in memory.
    public let order: TextureBuffer.Order

    let file: TileFile
    let readiness: TileReadiness
    let locks = TileLocks()
    let log = EventLog<Event>()
    private let alphaMode: Mutex<AlphaMode>
    private let budget: DirtyMemoryBudget
    /// Nil in memory, which can't be had back.
    private let account: DirtyMemoryBudget.Account?
    /// Says where the slots of each level begin.
    private let numbering: TileNumbering

    /// Room for a picture of `size`, upright, none of which is taken before it is filled.
    ///
    /// - Parameters:
    ///   - orientation: How the rows that the store will be filled with have to be turned to stand upright.
    ///   - alpha: Whether pixels can be less than opaque.
    /// - Throws: `invalidParameter` for a size without pixels; `limitExceeded` for one that no file could hold;
    ///   `inputOutput` where there is no room for the file.
    public init(
        size: PixelSize, orientation: Orientation = .up, hasAlpha: Bool = false, options: Options = Options()
    ) throws(ImageError) {
        guard max(size.width, size.height) <= Self.maximumSideLength else {
            throw ImageError(.limitExceeded, "a picture of \(size) is too large to be kept as tiles")
        }
        geometry = try PyramidGeometry(size: size, tileSize: Self.tileSize, depth: options.depth)
        self.orientation = orientation
        alphaMode = Mutex(hasAlpha ? .premultiplied : .none)
        order = options.order
        numbering = TileNumbering(geometry)
        let slotCount = numbering.count
        let (byteCount, overflows) = slotCount.multipliedReportingOverflow(by: Self.slotByteCount)
        guard !overflows else {
            throw ImageError(.limitExceeded, "a picture of \(size) is too large to be kept as tiles")
        }
        file = try TileFile(byteCount: byteCount, in: options.place)
        readiness = TileReadiness(slotCount: slotCount)
        budget = options.budget
        account = options.place == .memory ? nil : budget.open(file, slotCount: slotCount)
    }

    deinit {
        if let account { budget.close(account) }
        // Who still listens learns that nothing more will come.
        fail(ImageError(.cancelled, "the store is gone"))
    }

    /// What alpha means: `.none` or `.premultiplied`. A picture that arrives may turn out to have alpha at its end, as JPNG
    /// does; until then it is opaque.
    public internal(set) var alpha: AlphaMode {
        get { alphaMode.withLock { $0 } }
        set { alphaMode.withLock { $0 = newValue } }
    }

    /// Bytes that the file has room for; those of tiles that aren't there yet take none.
    public var byteCount: Int { file.byteCount }

    /// Bytes that are in memory alone, as far as the store knows; 0 for a store in memory.
    public var dirtyByteCount: Int { account.map { budget.byteCount(of: $0) } ?? 0 }

    /// Where a tile is. Tiles that are made together, a row of the upright picture or a column, are neighbours.
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

    /// Writes some rows of tiles that follow one another in the file.
    /// - Parameters:
    ///   - fill: Puts a tile's rows, `bytesPerRow` apart, where it is told to.
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

    /// Says that tiles that follow one another in the file can be read.
    func makeReady(_ addresses: [TileAddress], pass: Int, isPartial: Bool) {
        guard let slots = slots(addresses) else { return }
        readiness.add(slots, pass: pass, isPartial: isPartial)
        log.tell(.tiles(range(addresses)))
    }

    private func slots(_ addresses: [TileAddress]) -> Range<Int>? {
        addresses.first.map { slot($0)..<slot($0) + addresses.count }
    }

    /// The rectangle of tiles in a line of them.
    private func range(_ addresses: [TileAddress]) -> TileRange {
        let (first, last) = (addresses[0], addresses[addresses.count - 1])
        return TileRange(
            level: first.level, columns: first.column..<last.column + 1, rows: first.row..<last.row + 1)
    }

    /// Says that every tile shows as much as `pass` does.
    func endPass(_ pass: Int) {
        log.tell(.pass(pass), summary: wholeLevels + [.pass(pass)])
    }

    /// Says that all tiles are there.
    func finish() { end(.complete, telling: .complete) }

    /// Says why no more tiles will come.
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
    /// What happened to a store's tiles.
    public enum Event: Hashable, Sendable {
        /// These can be read now, or again: where a picture comes in passes, better than before.
        case tiles(TileRange)
        /// This many passes are complete: every tile shows as much.
        case pass(Int)
        /// All tiles are there, and won't change.
        case complete
        /// No more will come, for this reason; those that are there stay.
        case failed(ImageError)
    }

    /// How much of a tile there is.
    public enum TileState: Hashable, Sendable {
        /// Nothing yet.
        case missing
        /// All rows, as far as this pass; the first is 1.
        case ready(pass: Int)
        /// The picture ended within the tile: the rows that are missing are transparent, or black in an opaque picture.
        case partial
    }
}
