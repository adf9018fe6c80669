#if JPEG2000
internal import Dispatch
internal import Raster
internal import Synchronization

/// Reads the rows of a window of a JPEG 2000 image, a row of tiles at a time, and no tile outside the window.
///
/// A tile that needs more than half of the working memory is decoded in bands.
final class JPEG2000RowReader {
    private let source: Source
    private let codestream: JPEG2000Codestream
    private let parts: JPEG2000TileParts
    private let channels: JPEG2000Channels
    private let window: JPEG2000Grid.Area
    private let reduction: Int
    private let info: BitmapInfo
    private let limits: DecodingLimits
    private let inputByteCount: Int
    private var converter: JPEG2000RowConverter

    /// The columns of tiles that the window touches.
    private let columns: Range<Int>
    /// Decoded samples of the only tile in a row of tiles, from which rows are made when requested.
    private var samples: JPEG2000TileDecoder?
    /// The tile of which `cut` is the codestream, for bands of the same tile.
    private var cut: (row: Int, JPEG2000Cut)?
    /// Rows of several tiles.
    private var band: MutableBitmap
    /// The rows of the window, counted as the grid's pixels, that `samples` or `band` has.
    private var ready: Range<Int>
    private var nextRow: Int
    /// The error that follows the rows of a tile with missing data.
    private var failure: ImageError?

    /// The bytes of samples up to which it doesn't matter how many tiles are held.
    private static let smallBatchByteCount = 1 << 23

    /// Creates a reader of `window`, in pixels of the image halved `reduction` times; rows have the format of `info`.
    init(
        _ source: Source, _ codestream: JPEG2000Codestream, _ parts: JPEG2000TileParts, _ channels: JPEG2000Channels,
        window: JPEG2000Grid.Area, reduction: Int, info: BitmapInfo, options: DecodingOptions
    ) throws(ImageError) {
        self.source = source
        self.codestream = codestream
        self.parts = parts
        self.channels = channels
        self.window = window
        self.reduction = reduction
        self.info = info
        limits = options.limits
        inputByteCount = source.length
        try limits.checkWorkingMemory(
            JPEG2000RowConverter.byteCount(width: info.size.width), for: "a row of the JPEG 2000 image")
        converter = JPEG2000RowConverter(
            channels, codestream.grid, to: info,
            inkProfile: channels.space == .cmyk ? options.inkProfile(channels.profile) : nil)
        let grid = codestream.grid
        let touched = (0..<grid.columnCount).filter {
            !Self.pixels(of: grid.area(columns: $0..<$0 + 1, rows: 0..<1), grid, reduction).x.clamped(to: window.x)
                .isEmpty
        }
        columns = (touched.first ?? 0)..<(touched.last ?? -1) + 1
        var row = info
        row.size.height = 1
        band = try MutableBitmap(uninitialized: row)
        nextRow = window.y.lowerBound
        ready = nextRow..<nextRow
    }

    private static func pixels(of area: JPEG2000Grid.Area, _ grid: JPEG2000Grid, _ reduction: Int) -> JPEG2000Grid.Area
    {
        grid.pixels(of: area).reduced(reduction)
    }

    /// Decodes the next rows, as `WholePicture.read` specifies.
    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard nextRow < window.y.upperBound else {
            if let failure { throw failure }
            return 0
        }
        if !ready.contains(nextRow) { try prepare() }
        let count = min(rows.count, ready.upperBound - nextRow)
        if let samples {
            for y in 0..<count {
                try converter.convert(nextRow + y, columns: window.x, from: samples, into: &rows, row: y, at: 0)
            }
        } else {
            let start = nextRow - ready.lowerBound
            band.withMutableRows(start..<start + count) { source in rows.copy(source.readOnly) }
        }
        nextRow += count
        return count
    }

    /// Decodes the tiles, or bands of tiles, that contain `nextRow`.
    private func prepare() throws(ImageError) {
        let grid = codestream.grid
        let row = tileRow()
        // The rows of the tile that has missing data are still delivered.
        if let failure, cut?.row != row { throw failure }
        let tiles = Self.pixels(of: grid.area(columns: columns, rows: row..<row + 1), grid, reduction)
        var end = min(tiles.y.upperBound, window.y.upperBound)
        samples = nil
        // Bands end between pixels of every component, and are as high as half of the memory allows.
        let part = self.part(of: row, column: columns.lowerBound, rows: nextRow..<end)
        let isWhole = part == grid.area(columns: columns.lowerBound..<columns.lowerBound + 1, rows: row..<row + 1)
        let most = limits.maximumWorkingByteCount / 2
        if JPEG2000TileDecoder.sampleByteCount(part, of: grid, reduction: reduction, isWhole: isWhole) > most {
            let inBands = JPEG2000TileDecoder.sampleByteCount(part, of: grid, reduction: reduction, isWhole: false)
            end = nextRow + max(1, Int(Double(end - nextRow) * Double(most) / Double(inBands)))
        }
        ready = nextRow..<end
        guard columns.count > 1 else {
            samples = try decode(row, columns: Array(columns))[0]
            return
        }
        if band.info.size.height < ready.count {
            var info = info
            info.size.height = ready.count
            try limits.checkWorkingMemory(
                info.rowByteCount.multipliedReportingOverflow(by: ready.count).partialValue,
                for: "a row of tiles of the JPEG 2000 image")
            band = try MutableBitmap(uninitialized: info)
        }
        // As many tiles at a time as there are processors, and memory; more where they are small.
        let tileByteCount = JPEG2000TileDecoder.sampleByteCount(part, of: grid, reduction: reduction, isWhole: isWhole)
        let wanted = max(min(ImageExecutor.processorCount, 16), Self.smallBatchByteCount / max(1, tileByteCount))
        let batch = max(1, min(wanted, most / max(1, tileByteCount)))
        // Where the image is reduced, some may have no pixels.
        let places = columns.map { column in
            let tile = Self.pixels(of: grid.area(columns: column..<column + 1, rows: row..<row + 1), grid, reduction)
            return (column: column, x: tile.x.clamped(to: window.x))
        }.filter { !$0.x.isEmpty }
        for first in stride(from: 0, to: places.count, by: batch) {
            let group = places[first..<min(first + batch, places.count)]
            for (place, samples) in zip(group, try decode(row, columns: group.map(\.column))) {
                try band.withMutableRows(0..<ready.count) { (rows) throws(ImageError) in
                    for y in 0..<ready.count {
                        try converter.convert(
                            ready.lowerBound + y, columns: place.x, from: samples, into: &rows, row: y,
                            at: place.x.lowerBound - window.x.lowerBound)
                    }
                }
            }
        }
    }

    /// The row of tiles that contains the next row. Where the image is reduced, some may have no pixels.
    private func tileRow() -> Int {
        let grid = codestream.grid
        var (low, high) = (0, grid.rowCount - 1)
        while low < high {
            let middle = (low + high) / 2
            let end = Self.pixels(of: grid.area(columns: 0..<1, rows: middle..<middle + 1), grid, reduction).y
                .upperBound
            if end <= nextRow { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The part of a tile on the grid that the window's `rows` need.
    private func part(of row: Int, column: Int, rows: Range<Int>) -> JPEG2000Grid.Area {
        let grid = codestream.grid
        let tile = grid.area(columns: column..<column + 1, rows: row..<row + 1)
        let pixels = Self.pixels(of: tile, grid, reduction)
        // A pixel of a subsampled component lies before the pixels that it is repeated for.
        func points(_ range: Range<Int>, _ all: Range<Int>, _ step: Int, _ tile: Range<Int>) -> Range<Int> {
            let scale = step << reduction
            let margin = codestream.grid.mostSampling << reduction
            let lower = range.lowerBound <= all.lowerBound ? tile.lowerBound : range.lowerBound * scale - margin
            let upper = range.upperBound >= all.upperBound ? tile.upperBound : range.upperBound * scale
            return (lower..<max(lower + 1, upper)).clamped(to: tile)
        }
        return JPEG2000Grid.Area(
            x: points(window.x, pixels.x, grid.pixelWidth, tile.x), y: points(rows, pixels.y, grid.pixelHeight, tile.y))
    }

    /// Decodes the rows in `ready` of some tiles, each by a separate thread if there are several.
    private func decode(_ row: Int, columns group: [Int]) throws(ImageError) -> [JPEG2000TileDecoder] {
        try Interruption.check()
        var cuts: [JPEG2000Cut] = []
        for column in group { cuts.append(try cut(row, column: column)) }
        let parts = group.map { part(of: row, column: $0, rows: ready) }
        let (made, grid, reduction, limits) = (cuts, codestream.grid, reduction, limits)
        // Tiles side by side have one thread each, as a small one has.
        let pixelCount = group.count > 1 ? 0 : parts[0].reduced(reduction).size.pixelCount
        let results = Mutex<[Int: Result<JPEG2000TileDecoder, ImageError>]>([:])
        DispatchQueue.concurrentPerform(iterations: group.count) { index in
            let result = Result { () throws(ImageError) in
                try JPEG2000Library.withThreads(pixelCount: pixelCount) { (threads) throws(ImageError) in
                    try JPEG2000TileDecoder(
                        made[index], parts[index], of: grid, reduction: reduction, limits: limits, threads: threads)
                }
            }
            results.withLock { $0[index] = result }
        }
        return try made.indices.map { (index) throws(ImageError) in
            do throws(ImageError) {
                return try results.withLock { $0[index]! }.get()
            } catch {
                // Damage in a tile that isn't complete is its end.
                throw made[index].isTruncated && error.code == .corrupt ? failure ?? error : error
            }
        }
    }

    /// Cuts out a tile. The only one of a row is kept, for bands.
    private func cut(_ row: Int, column: Int) throws(ImageError) -> JPEG2000Cut {
        if let cut, cut.row == row, columns.count == 1 { return cut.1 }
        cut = nil
        let made = try JPEG2000Cut(
            columns: column..<column + 1, rows: row..<row + 1, of: codestream, parts, source, halvings: reduction,
            limits: limits)
        if columns.count == 1 { cut = (row, made) }
        if made.isTruncated {
            failure = ImageError(
                .truncated, "the JPEG 2000 file ends within a tile", byteOffset: inputByteCount)
        }
        return made
    }
}
#endif
