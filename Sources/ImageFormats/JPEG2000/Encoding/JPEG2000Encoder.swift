#if JPEG2000
internal import CTesseraShim
internal import Dispatch
internal import Raster
internal import Synchronization

/// Writes a JPEG 2000 file from rows: compresses a row of tiles when it is complete, and writes all at the end.
///
/// Each tile is encoded as a codestream of one tile, several at a time; their tile-parts are put together under one header.
final class JPEG2000Encoder: RowSink {
    private let encoder: JPEG2000TileEncoder
    private let info: BitmapInfo
    private let metadata: ImageMetadata
    private let isBoxed: Bool
    private let output: any ByteSink
    private var remaining: RemainingRows
    private let tile: PixelSize
    private let componentCount: Int
    /// The samples of a row of tiles: for each tile, its components one after the other.
    private var samples: [[UInt8]]
    private var header: [UInt8] = []
    private var parts: [[UInt8]] = []
    private var nextRow = 0

    init(
        _ info: BitmapInfo, format: ImageFormat, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) {
        try options.validate()
        guard info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a JPEG 2000 image has straight alpha or none, and pixels")
        }
        guard max(info.size.width, info.size.height) <= Int32.max else {
            throw ImageError(.unsupported, "a side of a JPEG 2000 image has at most \(Int32.max) pixels")
        }
        try JPEG2000Library.load()
        self.info = info
        self.output = output
        metadata = options.metadata
        isBoxed = format == .jpeg2000
        remaining = RemainingRows(info, in: format)
        tile = Self.tileSize(of: info.size, options: options)
        componentCount = info.format.isGray ? 1 : info.alpha.hasAlpha ? 4 : 3
        encoder = JPEG2000TileEncoder(
            options: options, componentCount: componentCount, bits: info.format.bitsPerChannel,
            levelCount: Self.levelCount(of: info.size, tile: tile, options: options))
        let across = (info.size.width - 1) / tile.width + 1
        let tileCount = across * ((info.size.height - 1) / tile.height + 1)
        guard tileCount <= 65535 else {
            throw ImageError(
                .unsupported, "the image would have \(tileCount) JPEG 2000 tiles of \(tile); there can be 65535")
        }
        samples = [[UInt8]](repeating: [], count: across)
    }

    /// The size of the tiles of an image of `size`, at most as large as it.
    static func tileSize(of size: PixelSize, options: EncodingOptions) -> PixelSize {
        let wanted = options.jpeg2000.tileSize ?? PixelSize(width: 1024, height: 1024)
        return PixelSize(width: min(wanted.width, size.width), height: min(wanted.height, size.height))
    }

    private static func levelCount(of size: PixelSize, tile: PixelSize, options: EncodingOptions) -> Int {
        var count = options.jpeg2000.levelCount ?? 5
        if options.jpeg2000.levelCount == nil {
            while max(size.width, size.height) >> count > 512 { count += 1 }
        }
        guard !options.isLossless else { return count }
        return min(
            soundLevelCount(count, of: size.width, tile: tile.width),
            soundLevelCount(count, of: size.height, tile: tile.height))
    }

    /// The number of halvings, at most `count`, after which no tile has a single sample at an odd place: OpenJPEG 2.5 encodes that
    /// wrongly in the lossy transform.
    private static func soundLevelCount(_ count: Int, of length: Int, tile: Int) -> Int {
        var count = count
        for start in stride(from: 0, to: length, by: tile) {
            let whole = start..<min(start + tile, length)
            for halvings in 0..<count {
                let part = whole.sampled(1 << halvings)
                if part.count == 1, part.lowerBound % 2 == 1 { count = min(count, halvings) }
            }
        }
        return count
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        for y in 0..<rows.count {
            let height = tileHeight
            for column in samples.indices {
                let columns = tileColumns(column)
                if nextRow % tile.height == 0 {
                    let count = columns.count * height * componentCount * info.format.bitsPerChannel / 8
                    samples[column] = [UInt8](repeating: 0, count: count)
                }
                Self.store(
                    rows, y, columns, componentCount: componentCount, plane: columns.count * height,
                    into: &samples[column], at: nextRow % tile.height * columns.count)
            }
            nextRow += 1
            if nextRow % tile.height == 0 || nextRow == info.size.height { try encodeTiles() }
        }
        remaining.count -= rows.count
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        let head = JPEG2000Boxes.codestreamHead(header, size: info.size, tile: tile, parts: parts.map(\.count))
        if isBoxed {
            let count = parts.reduce(head.count + 2) { $0 + $1.count }
            try output.write(JPEG2000Boxes.head(of: info, metadata: metadata, codestreamByteCount: count))
        }
        try output.write(head)
        for part in parts { try output.write(part) }
        try output.write([0xFF, 0xD9])
    }

    // MARK: Tiles

    private func tileColumns(_ column: Int) -> Range<Int> {
        column * tile.width..<min((column + 1) * tile.width, info.size.width)
    }

    /// The height of the tiles that the next row is in.
    private var tileHeight: Int { min(tile.height, info.size.height - nextRow / tile.height * tile.height) }

    /// Encodes the row of tiles that is complete, on all processors.
    private func encodeTiles() throws(ImageError) {
        let top = (nextRow - 1) / tile.height * tile.height
        let places = samples.indices.map { column in
            let columns = tileColumns(column)
            return PixelRect(x: columns.lowerBound, y: top, width: columns.count, height: nextRow - top)
        }
        try Interruption.check()
        let (encoder, samples) = (encoder, samples)
        let results = Mutex<[Int: Result<JPEG2000TileEncoder.Tile, ImageError>]>([:])
        // Tiles side by side have one thread each, as a small one has.
        let pixelCount = samples.count > 1 ? 0 : places[0].size.pixelCount
        let interruption = Interruption.current
        DispatchQueue.concurrentPerform(iterations: samples.count) { column in
            let result = Result { () throws(ImageError) in
                if let interruption, tessera_stop_is_requested(interruption.flag) {
                    throw ImageError(.cancelled, "cancelled")
                }
                return try JPEG2000Library.withThreads(pixelCount: pixelCount) { (threads) throws(ImageError) in
                    try encoder.encode(samples[column], at: places[column], threads: threads)
                }
            }
            results.withLock { $0[column] = result }
        }
        for column in samples.indices {
            guard let encoded = try results.withLock({ $0[column] })?.get() else { continue }
            var part = encoded.part
            // The tile's number, in the segment that begins each part.
            part.replaceSubrange(4..<6, with: parts.count.bigEndianBytes(2))
            if header.isEmpty { header = encoded.header }
            parts.append(part)
        }
    }

    /// Stores the samples of `columns` of a row from sample `start` of `samples` on, those of the next component `plane`
    /// samples later.
    private static func store(
        _ rows: borrowing PixelRows, _ y: Int, _ columns: Range<Int>, componentCount: Int, plane: Int,
        into samples: inout [UInt8], at start: Int
    ) {
        var target = samples.mutableSpan
        let (first, hasAlpha) = (columns.lowerBound, componentCount == 4)
        switch rows.format {
        case .gray8:
            let pixels = rows.row(y, as: Gray8.self)
            for x in 0..<columns.count { target[start + x] = pixels[first + x].value }
        case .rgba8:
            let pixels = rows.row(y, as: RGBA8.self)
            for x in 0..<columns.count {
                let pixel = pixels[first + x]
                target[start + x] = pixel.red
                target[start + plane + x] = pixel.green
                target[start + 2 * plane + x] = pixel.blue
                if hasAlpha { target[start + 3 * plane + x] = pixel.alpha }
            }
        case .gray16:
            let pixels = rows.row(y, as: Gray16.self)
            for x in 0..<columns.count { put(pixels[first + x].value, &target, at: start + x) }
        case .rgba16:
            let pixels = rows.row(y, as: RGBA16.self)
            for x in 0..<columns.count {
                let pixel = pixels[first + x]
                put(pixel.red, &target, at: start + x)
                put(pixel.green, &target, at: start + plane + x)
                put(pixel.blue, &target, at: start + 2 * plane + x)
                if hasAlpha { put(pixel.alpha, &target, at: start + 3 * plane + x) }
            }
        }
    }

    /// Stores a sample of 16 bits in native byte order, as the `index`th.
    private static func put(_ value: UInt16, _ target: inout MutableSpan<UInt8>, at index: Int) {
        #if _endian(little)
        target[2 * index] = UInt8(truncatingIfNeeded: value)
        target[2 * index + 1] = UInt8(truncatingIfNeeded: value >> 8)
        #else
        target[2 * index] = UInt8(truncatingIfNeeded: value >> 8)
        target[2 * index + 1] = UInt8(truncatingIfNeeded: value)
        #endif
    }
}
#endif
