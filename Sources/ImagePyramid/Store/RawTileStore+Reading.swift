public import Raster

extension RawTileStore {
    /// Everything that happened to the tiles so far, and everything that will; ends after the last event. Supports any
    /// number of listeners.
    public var events: AsyncStream<Event> { log.listen() }

    /// The error that left tiles missing; nil while they may still come, and when all are available.
    public var error: ImageError? { if case .failed(let error) = readiness.end { error } else { nil } }

    /// Whether all tiles are available and final.
    public var isComplete: Bool { if case .complete = readiness.end { true } else { false } }

    /// Returns how much of a tile is available. Traps for an address outside the geometry.
    public func state(of address: TileAddress) -> TileState { readiness.state(of: slot(address)) }

    /// Lends a tile's pixels in place, `bytesPerRow` bytes from row to row; returns nil if they aren't available.
    ///
    /// Pixels are as stored: `orientation` makes them upright. In a store with `order` bgra, a pixel's `red` and `blue`
    /// are exchanged. Later passes of the image don't replace the tile until `body` returns. If the disk fails to
    /// return what was written, the system ends the process, as with any mapped file. Traps for an address outside the
    /// geometry.
    public func withTile<R: ~Copyable, E: Error>(
        _ address: TileAddress, _ body: (borrowing PixelRows) throws(E) -> R
    ) throws(E) -> R? {
        let slot = slot(address)
        guard readiness.isReady(slot) else { return nil }
        let size = storedRect(address).size
        return try locks.lookingAt(slot) { () throws(E) -> R in
            // The slot has room for a whole tile, and is mapped as long as self lives.
            let rows = PixelRows(
                unsafe: file.base + slot * Self.slotByteCount, format: .rgba8, width: size.width, count: size.height,
                bytesPerRow: Self.bytesPerRow, owner: self)
            return try body(rows)
        }
    }

    /// Returns a copy of a tile's pixels, with the orientation to draw it in; nil if it isn't available.
    ///
    /// Traps for an address outside the geometry.
    /// - Throws: `outOfMemory`; `inputOutput` if the disk fails to return what was written.
    public func readyTile(_ address: TileAddress) throws(ImageError) -> Image? {
        let slot = slot(address)
        guard readiness.isReady(slot) else { return nil }
        let size = storedRect(address).size
        // Rows of the same length as in the file.
        let info = BitmapInfo(
            size: PixelSize(width: Self.tileSize, height: size.height), format: .rgba8, alpha: alpha)
        var copy = try MutableBitmap(uninitialized: info)
        var target = copy.mutableRows
        precondition(target.bytesPerRow == Self.bytesPerRow)
        // Reading pages through the mapping would count them as the process's memory until the system reclaims them.
        try target.withUnsafeBase { (base) throws(ImageError) in
            // The bitmap has `height` rows of this many bytes, without gaps.
            let bytes = UnsafeMutableRawBufferPointer(start: base, count: size.height * Self.bytesPerRow)
            try locks.lookingAt(slot) { () throws(ImageError) in
                try file.read(into: bytes, at: slot * Self.slotByteCount)
            }
        }
        if order == .bgra { target.exchangeRedAndBlue() }
        let bitmap = try copy.freeze().cropped(to: PixelRect(size))
        return Image(bitmap, orientation: orientation)
    }

    /// Returns a tile as soon as it is available; for an image in passes, as of the first pass.
    /// - Throws: `invalidParameter` for an address outside the geometry, `cancelled` if the task is, or the error that
    ///   ended the image if the tile will never come.
    public func tile(_ address: TileAddress) async throws(ImageError) -> Image {
        guard geometry.contains(address) else {
            throw ImageError(.invalidParameter, "there is no tile \(address) in an image of \(geometry.size)")
        }
        await readiness.wait(for: slot(address))
        if let tile = try readyTile(address) { return tile }
        throw error ?? ImageError(.cancelled, "tile \(address) is no longer wanted")
    }
}

extension MutablePixelRows {
    /// Converts RGBA to BGRA or back, in place.
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
