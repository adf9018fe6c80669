#if HEIF
internal import CTesseraHEIF
internal import Dispatch
internal import Raster
internal import Synchronization

/// A grid of tiles, decoded one row of tiles at a time or, if turned sideways, one column, which is an upright row.
///
/// Memory is limited to that, regardless of the image's size. Tiles outside the region aren't decoded.
final class HEIFGridPicture: WholePicture {
    let header: ImageHeader
    private let info: BitmapInfo
    private let grid: ISOImageGrid
    private let items: ISOImageItems
    private let file: [UInt8]
    private let limits: DecodingLimits
    /// Decodes a tile of a size that libheif can't decode; nil if it can.
    private let decodeTile: ((Int, PixelSize) throws(ImageError) -> Bitmap)?
    private var bands: ArraySlice<PixelRect> = []
    private var rows: (any RowSource)?
    /// The tiles that the limits allow to be decoded side by side.
    private var tilesAtOnce = 1

    /// The image described by `header` and `info`, whose tiles are `items` of `file`.
    init(
        _ header: ImageHeader, _ info: BitmapInfo, _ grid: ISOImageGrid, of items: ISOImageItems, in file: [UInt8],
        limits: DecodingLimits, decodeTile: ((Int, PixelSize) throws(ImageError) -> Bitmap)? = nil
    ) {
        (self.header, self.info, self.grid, self.items, self.file) = (header, info, grid, items, file)
        self.limits = limits
        self.decodeTile = decodeTile
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        let stored = plan.stored(grid.orientation, storedSize: grid.size)
        let area = stored.region ?? PixelRect(grid.size)
        bands = grid.bands(of: area)[...]
        let largest = bands.reduce(0) { max($0, $1.size.pixelCount) }
        // A band, stored and upright; the planes of a tile, coded, as RGB, and in the decoder.
        let deep = header.bitsPerChannel > 8 ? 2 : 1
        let bandByteCount = 2 * largest * info.format.bytesPerPixel
        let tileByteCount = 12 * deep * grid.tileSize.pixelCount
        try limits.checkWorkingMemory(
            bandByteCount + tileByteCount, for: "a row of the \(header.format) image's tiles")
        tilesAtOnce = max(1, (limits.maximumWorkingByteCount - bandByteCount) / max(1, tileByteCount))
        var info = info
        info.size = plan.regionSize(of: info.size)
        return info
    }

    func read(into target: inout MutablePixelRows) throws(ImageError) -> Int {
        while true {
            if let rows {
                let count = try rows.read(into: &target)
                if count > 0 { return count }
            }
            rows = nil
            guard let band = bands.popFirst() else { return 0 }
            rows = try decode(band).makeRowSource()
        }
    }

    /// Returns a tile as a file.
    private func still(_ item: Int) throws(ImageError) -> [UInt8] {
        guard let still = items.still(item, of: file) else {
            throw ImageError(.corrupt, "a tile of the \(header.format) image is missing")
        }
        return still
    }

    private func decode(_ band: PixelRect) throws(ImageError) -> Bitmap {
        var info = info
        info.size = band.size
        var bitmap = try MutableBitmap(uninitialized: info)
        if let decodeTile {
            for (item, place) in grid.tiles(in: band) {
                let tile = try decodeTile(item, grid.tileSize)
                guard tile.format == info.format else {
                    throw ImageError(.corrupt, "the tiles of the \(header.format) image differ in their colours")
                }
                bitmap.draw(tile, x: place.x - band.x, y: place.y - band.y)
            }
        } else {
            try decodeTiles(in: band, into: &bitmap)
        }
        let stored = bitmap.freeze()
        return grid.orientation == .up ? stored : try stored.oriented(by: grid.orientation)
    }

    /// Decodes the tiles of a band with libheif, several at a time.
    private func decodeTiles(in band: PixelRect, into bitmap: inout MutableBitmap) throws(ImageError) {
        var waiting = grid.tiles(in: band)[...]
        try ProcessorShare.perform { (threads) throws(ImageError) in
            while !waiting.isEmpty {
                let some = waiting.prefix(min(threads, tilesAtOnce))
                waiting = waiting.dropFirst(some.count)
                let stills = try some.map { (tile) throws(ImageError) in try still(tile.item) }
                let tiles = try HEIFTile.decoded(stills, grid.tileSize)
                for ((_, place), tile) in zip(some, tiles) {
                    // The part of the tile within the band.
                    let (left, top) = (max(place.x, band.x), max(place.y, band.y))
                    let part = PixelRect(
                        x: left - place.x, y: top - place.y,
                        width: min(place.x + place.width, band.x + band.width) - left,
                        height: min(place.y + place.height, band.y + band.height) - top)
                    try tile.copy(part, into: &bitmap, x: left - band.x, y: top - band.y)
                }
            }
        }
    }
}

/// A tile decoded by libheif.
///
/// libheif 1.15 can't decode single tiles of a grid, so each is passed to it as a separate file.
final class HEIFTile {
    private let shim: ShimHandle
    private var handle: OpaquePointer { shim.pointer }

    /// Decodes the image of `size` in `file`.
    init(_ file: [UInt8], _ size: PixelSize) throws(ImageError) {
        shim = try ShimHandle(
            tessera_heif_decoder_create(), "a HEIF decoder", failing: "a tile of the HEIF image can't be decoded",
            tessera_heif_decoder_message, destroy: tessera_heif_decoder_destroy)
        // The shim copies the bytes.
        try shim.check(
            tessera_heif_decoder_open(handle, file, file.count, UInt32(clamping: max(size.width, size.height))))
        var image = tessera_heif_image()
        try shim.check(tessera_heif_decoder_select(handle, 0, 0, false, &image))
        var pixels = tessera_heif_pixels()
        // Tiles are decoded side by side.
        try shim.check(tessera_heif_decoder_decode(handle, 1, &pixels))
        guard Int(pixels.width) == size.width, Int(pixels.height) == size.height, !pixels.has_alpha else {
            throw ImageError(.corrupt, "a tile of the HEIF image differs from its header")
        }
    }

    /// Decodes files with images of `size` side by side.
    /// - Throws: The error of the first that can't be decoded.
    static func decoded(_ files: [[UInt8]], _ size: PixelSize) throws(ImageError) -> [HEIFTile] {
        guard files.count > 1 else { return try files.map { (file) throws(ImageError) in try HEIFTile(file, size) } }
        let results = Results()
        DispatchQueue.concurrentPerform(iterations: files.count) { index in
            do throws(ImageError) {
                results.store(.success(try HEIFTile(files[index], size)), index)
            } catch {
                results.store(.failure(error), index)
            }
        }
        return try files.indices.map { (index) throws(ImageError) in try results.tile(index) }
    }

    /// The tiles, or errors, of several threads.
    ///
    /// Unchecked: the lock guards the dictionary, and a tile is used by the thread that made it, then by the one that waits
    /// for all.
    private final class Results: @unchecked Sendable {
        private var results: [Int: Result<HEIFTile, ImageError>] = [:]
        private let lock = Mutex(())

        func store(_ result: Result<HEIFTile, ImageError>, _ index: Int) {
            lock.withLock { _ in results[index] = result }
        }

        func tile(_ index: Int) throws(ImageError) -> HEIFTile { try results[index]!.get() }
    }

    /// Copies `part` of the tile to (`x`, `y`) in `bitmap`, where it must fit.
    func copy(_ part: PixelRect, into bitmap: inout MutableBitmap, x: Int, y: Int) throws(ImageError) {
        let (format, handle) = (bitmap.info.format, handle)
        let status = bitmap.withMutableRows(y..<(y + part.height)) { rows in
            precondition(x >= 0 && x + part.width <= rows.width)
            let stride = rows.bytesPerRow
            return rows.withUnsafeBase { base in
                // The rows have room for the part's width from `x` on, as checked above.
                tessera_heif_decoder_read(
                    handle, format.shimNumber, false, UInt32(part.x), UInt32(part.y), UInt32(part.width),
                    UInt32(part.height), (base + x * format.bytesPerPixel).assumingMemoryBound(to: UInt8.self), stride)
            }
        }
        try shim.check(status)
    }
}
#endif
