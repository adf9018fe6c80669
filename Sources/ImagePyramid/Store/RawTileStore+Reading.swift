public import Raster

extension RawTileStore {
    /// What happened to the tiles, from the first on, and what will happen; ends when no more will. For any number of
    /// listeners.
    public var events: AsyncStream<Event> { log.listen() }

    /// Why tiles are missing that will never come; nil while they may, and when all are there.
    public var error: ImageError? { if case .failed(let error) = readiness.end { error } else { nil } }

    /// Whether all tiles are there, and won't change.
    public var isComplete: Bool { if case .complete = readiness.end { true } else { false } }

    /// How much there is of a tile. Traps when there is no such tile.
    public func state(of address: TileAddress) -> TileState { readiness.state(of: slot(address)) }

    /// Lends a tile's pixels where they lie, `bytesPerRow` bytes from row to row; nil when they aren't there.
    ///
    /// They are as stored: turned as `orientation` says they are upright. In a store of `order` bgra, what is called red
    /// and blue in a pixel are exchanged. While a picture comes in passes, the tile isn't made better before `body`
    /// returns. Should the disk fail to give back what was written, the system ends the process, as with every mapped
    /// file. Traps when there is no such tile.
    public func withTile<R: ~Copyable, E: Error>(
        _ address: TileAddress, _ body: (borrowing PixelRows) throws(E) -> R
    ) throws(E) -> R? {
        let slot = slot(address)
        guard readiness.isReady(slot) else { return nil }
        let size = storedRect(address).size
        return try locks.lookingAt(slot) { () throws(E) -> R in
            // The slot has room for a whole tile; it is mapped for as long as self lives.
            let rows = PixelRows(
                unsafe: file.base + slot * Self.slotByteCount, format: .rgba8, width: size.width, count: size.height,
                bytesPerRow: Self.bytesPerRow, owner: self)
            return try body(rows)
        }
    }

    /// A tile that is there, its pixels copied once, with the orientation to draw it in; nil when it isn't there.
    ///
    /// Traps when there is no such tile.
    /// - Throws: `outOfMemory`; `inputOutput` should the disk fail to give back what was written.
    public func readyTile(_ address: TileAddress) throws(ImageError) -> Image? {
        let slot = slot(address)
        guard readiness.isReady(slot) else { return nil }
        let size = storedRect(address).size
        // Rows as long as the file has them.
        let info = BitmapInfo(
            size: PixelSize(width: Self.tileSize, height: size.height), format: .rgba8, alpha: alpha)
        var copy = try MutableBitmap(uninitialized: info)
        var target = copy.mutableRows
        precondition(target.bytesPerRow == Self.bytesPerRow)
        // Pages that were looked at in the mapping would be the process's until the system wants them.
        try target.withUnsafeBase { (base) throws(ImageError) in
            // The bitmap has `height` rows of this many bytes, without a gap.
            let bytes = UnsafeMutableRawBufferPointer(start: base, count: size.height * Self.bytesPerRow)
            try locks.lookingAt(slot) { () throws(ImageError) in
                try file.read(into: bytes, at: slot * Self.slotByteCount)
            }
        }
        if order == .bgra { target.exchangeRedAndBlue() }
        let bitmap = try copy.freeze().cropped(to: PixelRect(size))
        return Image(bitmap, orientation: orientation)
    }

    /// A tile as soon as it is there; of a picture that comes in passes, as the first one shows it.
    /// - Throws: `invalidParameter` when there is no such tile; `cancelled` when the task is; and when it will never come,
    ///   what ended the picture.
    public func tile(_ address: TileAddress) async throws(ImageError) -> Image {
        guard geometry.contains(address) else {
            throw ImageError(.invalidParameter, "there is no tile \(address) in a picture of \(geometry.size)")
        }
        await readiness.wait(for: slot(address))
        if let tile = try readyTile(address) { return tile }
        throw error ?? ImageError(.cancelled, "tile \(address) is no longer wanted")
    }
}

extension MutablePixelRows {
    /// Makes RGBA of BGRA, and the other way round.
    mutating func exchangeRedAndBlue() {
        for y in 0..<count {
            var row = row(y, as: RGBA8.self)
            for x in 0..<row.count {
                let pixel = row[x]
                row[x] = RGBA8(pixel.blue, pixel.green, pixel.red, pixel.alpha)
            }
        }
    }
}
