#if TIFF
internal import CTesseraTIFF
internal import Raster

/// Reads the rows of a window of one image in a TIFF file: a strip, a row of tiles or a few rows of a large strip at a
/// time, and nothing outside the window.
final class TIFFRowReader {
    private let file: TIFFFile
    private let picture: tessera_tiff_picture
    private let layout: TIFFPixelLayout
    private let window: PixelRect
    private let info: BitmapInfo
    private var converter: TIFFRowConverter
    /// The planes that are read; a single one if the image isn't planar.
    private let planes: [Int]

    /// Decompressed bytes: of a strip or tile, its planes in succession, or of a few rows.
    private var unpacked: [UInt8]
    /// Decoded rows that didn't fit into the caller's buffer, and the range still to be delivered.
    private var band: MutableBitmap
    private var bandRows = 0..<0
    /// The image row that is decompressed next.
    private var nextRow: Int
    /// Whether strips are decompressed a few rows at a time.
    private var readsRows: Bool
    private var failure: ImageError?

    /// Strips of more bytes than this are decompressed a few rows at a time.
    private static let largeStrip = 1 << 20

    /// Creates a reader of `window` of the image that `file` has open; rows have the format of `info`.
    init(
        _ file: TIFFFile, _ picture: tessera_tiff_picture, _ layout: TIFFPixelLayout, window: PixelRect,
        info: BitmapInfo, inkProfile: [UInt8]?
    ) throws(ImageError) {
        self.file = file
        self.picture = picture
        self.layout = layout
        self.window = window
        self.info = info
        nextRow = window.y
        var row = info
        row.size.height = 1
        band = try MutableBitmap(uninitialized: row)
        let chunkByteCount = Int(clamping: picture.chunk_bytes)
        let rowByteCount = Int(clamping: picture.row_bytes)
        readsRows =
            picture.tile_width == 0 && !picture.planar && !picture.needs_rgba && chunkByteCount > Self.largeStrip
        planes = picture.planar ? Array(0..<layout.colorCount) + (layout.alphaIndex.map { [$0] } ?? []) : [0]
        // libtiff converts a whole strip or tile to RGBA in memory that it allocates.
        let (bytes, overflows) = (readsRows ? rowByteCount : chunkByteCount).multipliedReportingOverflow(
            by: picture.needs_rgba ? 4 : planes.max()! + 1)
        let wide = TIFFRowConverter.byteCount(width: window.width)
        try file.check(unpacked: overflows ? .max : bytes, for: "a strip or tile of the TIFF image")
        try file.check(unpacked: wide, for: "a row of the TIFF image")
        let rowCount = min(window.height, max(1, (1 << 18) / rowByteCount))
        unpacked = picture.needs_rgba ? [] : [UInt8](repeating: 0, count: readsRows ? rowCount * bytes : bytes)
        let palette = layout.model == .palette ? try file.palette(count: 1 << layout.bits) : []
        converter = TIFFRowConverter(
            layout, to: info.format, width: window.width, palette: palette, inkProfile: inkProfile)
        // Rows must have all bytes of their samples, and strips and tiles all bytes of their rows.
        let columns = picture.tile_width > 0 ? Int(picture.tile_width) : Int(picture.width)
        let (bits, tooMany) = columns.multipliedReportingOverflow(
            by: layout.bits * (picture.planar ? 1 : layout.sampleCount))
        let rowsInChunk = Int(picture.tile_width > 0 ? picture.tile_height : picture.rows_per_strip)
        guard picture.needs_rgba || !tooMany && rowByteCount >= (bits + 7) / 8,
            picture.needs_rgba || chunkByteCount / rowByteCount >= rowsInChunk
        else {
            throw ImageError(.unsupported, "the TIFF image's samples are packed in a way that isn't read")
        }
    }

    /// Decodes the next rows, as `WholePicture.read` specifies.
    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        if bandRows.isEmpty {
            if let failure { throw failure }
            let end = window.y + window.height
            guard nextRow < end else { return 0 }
            let count = min(bandEnd(after: nextRow), end) - nextRow
            if rows.count >= count { return try decode(count, into: &rows) }
            try decodeBand(count)
        }
        let count = min(rows.count, bandRows.count)
        let start = bandRows.lowerBound
        band.withMutableRows(start..<(start + count)) { source in rows.copy(source.readOnly) }
        bandRows = (start + count)..<bandRows.upperBound
        return count
    }

    /// Returns the end of the strip, row of tiles or few rows that contain `row`.
    private func bandEnd(after row: Int) -> Int {
        if readsRows { return row + unpacked.count / Int(picture.row_bytes) }
        let height = Int(picture.tile_width > 0 ? picture.tile_height : picture.rows_per_strip)
        return (row / height + 1) * height
    }

    private func decodeBand(_ count: Int) throws(ImageError) {
        if band.info.size.height < count {
            var info = info
            info.size.height = count
            try file.check(unpacked: info.rowByteCount * count, for: "a strip or row of tiles of the TIFF image")
            band = try MutableBitmap(uninitialized: info)
        }
        var made = 0
        try band.withMutableRows(0..<count) { (rows) throws(ImageError) in made = try decode(count, into: &rows) }
        bandRows = 0..<made
    }

    /// Decodes the next `count` rows, all of one strip or row of tiles.
    /// - Returns: The number of rows decoded; fewer only if `failure` is set.
    private func decode(_ count: Int, into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        var made = count
        if picture.needs_rgba {
            try decodeRGBA(count, into: &rows)
        } else if picture.tile_width > 0 {
            try decodeTiles(count, into: &rows)
        } else if readsRows {
            made = try decodeRows(count, into: &rows)
        } else {
            made = try decodeStrip(count, into: &rows)
        }
        nextRow += made
        return made
    }

    /// Converts a whole strip or row of tiles and copies the window's part: libtiff upsamples chroma correctly only
    /// from the corner of a strip or tile.
    private func decodeRGBA(_ count: Int, into rows: inout MutablePixelRows) throws(ImageError) {
        let height = Int(picture.tile_width > 0 ? picture.tile_height : picture.rows_per_strip)
        let top = nextRow / height * height
        var whole = info
        whole.size = PixelSize(width: Int(picture.width), height: min(height, Int(picture.height) - top))
        try file.check(
            unpacked: whole.rowByteCount * whole.size.height, for: "a strip or row of tiles of the TIFF image")
        let part = PixelRect(x: 0, y: top, width: whole.size.width, height: whole.size.height)
        let (file, window, first) = (file, window, nextRow - top)
        let chunk = picture.tile_width > 0 ? nil : top / height
        var converted = try MutableBitmap(uninitialized: whole)
        try converted.withMutableRows(0..<whole.size.height) { (made) throws(ImageError) in
            try file.readRGBA(part, into: &made, chunk: chunk)
            for y in 0..<count {
                let source = made.row(first + y, as: RGBA8.self)
                var target = rows.row(y, as: RGBA8.self)
                for x in 0..<window.width { target[x] = source[window.x + x] }
            }
        }
    }

    private func decodeStrip(_ count: Int, into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let height = Int(picture.rows_per_strip)
        let index = nextRow / height
        let stripCount = (Int(picture.height) + height - 1) / height
        let byteCount = Int(picture.chunk_bytes)
        do throws(ImageError) {
            for plane in planes {
                try file.readChunk(index + plane * stripCount, into: &unpacked, at: plane * byteCount)
            }
        } catch {
            guard !picture.planar else { throw error }
            // Decodes the rows before the damage.
            readsRows = true
            return try decodeRows(count, into: &rows)
        }
        convert(
            count, from: nextRow - index * height, columns: 0..<window.width, firstPixel: window.x, into: &rows)
        return count
    }

    private func decodeRows(_ count: Int, into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let (made, failure) = file.readRows(
            nextRow..<(nextRow + count), into: &unpacked, stride: Int(picture.row_bytes),
            chunk: nextRow / Int(picture.rows_per_strip))
        self.failure = failure
        if made == 0, let failure { throw failure }
        convert(made, from: 0, columns: 0..<window.width, firstPixel: window.x, into: &rows)
        return made
    }

    private func decodeTiles(_ count: Int, into rows: inout MutablePixelRows) throws(ImageError) {
        let (width, height) = (Int(picture.tile_width), Int(picture.tile_height))
        let across = (Int(picture.width) + width - 1) / width
        let planeTileCount = across * ((Int(picture.height) + height - 1) / height)
        let tileRow = nextRow / height
        let byteCount = Int(picture.chunk_bytes)
        for column in (window.x / width)...((window.x + window.width - 1) / width) {
            for plane in planes {
                try file.readChunk(
                    plane * planeTileCount + tileRow * across + column, into: &unpacked, at: plane * byteCount)
            }
            let left = max(window.x, column * width)
            let right = min(window.x + window.width, (column + 1) * width)
            convert(
                count, from: nextRow - tileRow * height, columns: (left - window.x)..<(right - window.x),
                firstPixel: left - column * width, into: &rows)
        }
    }

    /// Converts `count` decompressed rows, from `firstRow` and `firstPixel`, to `columns` of `rows`.
    private func convert(
        _ count: Int, from firstRow: Int, columns: Range<Int>, firstPixel: Int, into rows: inout MutablePixelRows
    ) {
        let byteCount = Int(picture.row_bytes)
        let unpacked = unpacked
        let bytes = unpacked.span.bytes
        for y in 0..<count {
            let source = TIFFRowConverter.Row(
                start: (firstRow + y) * byteCount, byteCount: byteCount, planeByteCount: Int(picture.chunk_bytes))
            converter.convert(
                bytes, source, from: firstPixel, count: columns.count, into: &rows, y, column: columns.lowerBound)
        }
    }
}
#endif
