#if TIFF
internal import CTesseraTIFF
internal import Raster

/// Reads the rows of a window of one image in a TIFF file: strips and rows of tiles on all processors, or a few rows of a
/// large strip at a time, and nothing outside the window.
final class TIFFRowReader {
    private let file: TIFFFile
    private let picture: tessera_tiff_picture
    private let layout: TIFFPixelLayout
    private let window: PixelRect
    private let info: BitmapInfo
    private var converter: TIFFRowConverter
    private let decoders: TIFFChunkDecoders
    /// Whether several threads decode strips and tiles, and the strips or rows of tiles that are decoded at once.
    private var usesThreads = false
    private var chunkRowsAtOnce = 1

    /// Decompressed bytes of a few rows of a large strip.
    private var unpacked: [UInt8]
    /// The rows that they are.
    private let unpackedRowCount: Int
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
        let planes = picture.planar ? Array(0..<layout.colorCount) + (layout.alphaIndex.map { [$0] } ?? []) : [0]
        // libtiff converts a whole strip or tile to RGBA in memory that it allocates.
        let (bytes, overflows) = (readsRows ? rowByteCount : chunkByteCount).multipliedReportingOverflow(
            by: picture.needs_rgba ? 4 : planes.max()! + 1)
        let wide = TIFFRowConverter.byteCount(width: window.width)
        try file.check(unpacked: overflows ? .max : bytes, for: "a strip or tile of the TIFF image")
        try file.check(unpacked: wide, for: "a row of the TIFF image")
        let rowCount = min(window.height, max(1, (1 << 18) / rowByteCount))
        unpackedRowCount = rowCount
        // A damaged strip is decompressed row by row too.
        unpacked = readsRows ? [UInt8](repeating: 0, count: rowCount * bytes) : []
        let palette = layout.model == .palette ? try file.palette(count: 1 << layout.bits) : []
        converter = TIFFRowConverter(
            layout, to: info.format, width: window.width, palette: palette, inkProfile: inkProfile)
        decoders = TIFFChunkDecoders(
            TIFFChunkDecoder(
                file, readsRows || picture.needs_rgba ? .init() : picture, planes: planes, converter: converter))
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
        if let count = countAtOnce(bytes) { (usesThreads, chunkRowsAtOnce) = (true, count) }
    }

    /// Returns how many strips or rows of tiles several threads should decode at once, each of whose chunks takes
    /// `byteCount` bytes; nil if one thread is better.
    private func countAtOnce(_ byteCount: Int) -> Int? {
        let processors = ImageExecutor.processorCount
        guard processors > 1, !readsRows, !picture.needs_rgba, window.size.pixelCount >= Self.leastSharedPixelCount,
            picture.chunks <= Self.mostSharedChunks
        else { return nil }
        let (width, height) = picture.tile_width > 0 ? (Int(picture.tile_width), Int(picture.tile_height)) : (0, 0)
        let across = width > 0 ? (window.x + window.width - 1) / width - window.x / width + 1 : 1
        let rowCount = width > 0 ? height : Int(picture.rows_per_strip)
        let bandByteCount = max(1, info.rowByteCount * min(rowCount, window.height))
        // Enough that no processor waits long for the last, and not much memory.
        let wanted = max((4 * processors + across - 1) / across, Self.sharedByteCount / bandByteCount)
        let count = max(1, min(wanted, 8 * Self.sharedByteCount / bandByteCount))
        let total = bandByteCount.multipliedReportingOverflow(by: count)
        guard !total.overflow, byteCount < 1 << 30, file.allows(total.partialValue + processors * byteCount) else {
            return nil
        }
        return count
    }

    /// Each thread's handle of libtiff has the place and length of every strip or tile.
    private static let mostSharedChunks: UInt32 = 1 << 16
    /// Windows of fewer pixels are decoded as fast by one thread.
    private static let leastSharedPixelCount = 1 << 17
    /// The bytes of pixels that are decoded at once, at least.
    private static let sharedByteCount = 1 << 22

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

    /// Returns the end of the strips, rows of tiles or few rows that are decoded at once from `row` on.
    private func bandEnd(after row: Int) -> Int {
        readsRows ? row + unpackedRowCount : (row / chunkHeight + chunkRowsAtOnce) * chunkHeight
    }

    /// The rows of a strip or tile.
    private var chunkHeight: Int { Int(picture.tile_width > 0 ? picture.tile_height : picture.rows_per_strip) }

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

    /// Decodes the next `count` rows, all of what is decoded at once.
    /// - Returns: The number of rows decoded; fewer if there is damage behind them.
    private func decode(_ count: Int, into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        var made = count
        if picture.needs_rgba {
            try decodeRGBA(count, into: &rows)
        } else if readsRows {
            made = try decodeRows(count, into: &rows)
        } else {
            made = try decodeChunks(count, into: &rows)
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

    private func decodeChunks(_ count: Int, into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let pieces = pieces(nextRow..<(nextRow + count))
        let corner = (x: window.x, y: nextRow)
        if usesThreads, pieces.count > 1 {
            var info = info
            info.size = PixelSize(width: rows.width, height: rows.count)
            let (stride, decoders) = (rows.bytesPerRow, decoders)
            let failed = rows.withUnsafeBase { base in
                // `rows` has the pixels that `info` says, and its borrower waits for all threads.
                decoders.decode(
                    pieces, into: TIFFChunkDecoders.Target(base: base, bytesPerRow: stride, info: info, corner: corner))
            }
            guard let failed else { return count }
            // The rest is decoded chunk by chunk, up to the damage.
            (usesThreads, chunkRowsAtOnce) = (false, 1)
            let made = pieces[failed].rows.lowerBound - nextRow
            return made > 0 ? made : try decodeChunks(pieces[failed].rows.count, into: &rows)
        }
        for piece in pieces {
            do throws(ImageError) {
                try decoders.first.decode(piece, into: &rows, corner: corner)
            } catch {
                guard !picture.planar, picture.tile_width == 0 else { throw error }
                // Decodes the rows before the damage.
                readsRows = true
                unpacked = [UInt8](repeating: 0, count: unpackedRowCount * Int(picture.row_bytes))
                return try decodeRows(min(count, unpackedRowCount), into: &rows)
            }
        }
        return count
    }

    /// Divides rows of the window into parts of strips or tiles, from the top.
    private func pieces(_ rows: Range<Int>) -> [TIFFChunkDecoder.Piece] {
        let (height, end) = (chunkHeight, window.x + window.width)
        let width = picture.tile_width > 0 ? Int(picture.tile_width) : Int(picture.width)
        let across = (Int(picture.width) + width - 1) / width
        var pieces: [TIFFChunkDecoder.Piece] = []
        for down in (rows.lowerBound / height)...((rows.upperBound - 1) / height) {
            let part = max(rows.lowerBound, down * height)..<min(rows.upperBound, (down + 1) * height)
            for column in (window.x / width)...((end - 1) / width) {
                pieces.append(
                    TIFFChunkDecoder.Piece(
                        index: down * across + column, origin: (column * width, down * height), rows: part,
                        columns: max(window.x, column * width)..<min(end, (column + 1) * width)))
            }
        }
        return pieces
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
