internal import ImageFormats
public import Raster
internal import Synchronization

/// Writes a pyramid as a tiled BigTIFF of JPEG tiles: the full image as the first page, and each level as a further
/// page marked as reduced.
///
/// A level's tables are stored in its directory (tag 347) instead of its tiles. If tiles may have different tables,
/// such as those copied bit by bit from a JPEG with optimised tables, every tile of the level keeps its own.
public final class TIFFSink: TileSink {
    private struct Level {
        var parts: JPEGParts?
        var sharesTables = false
    }

    /// The levels and tiles.
    public let geometry: PyramidGeometry
    /// The encoding of the tiles.
    public let encoding: TileEncoding
    /// False: a tile in TIFF is one image.
    public var takesGainMaps: Bool { false }

    private let file: OutputFile
    private let appender: TileAppender
    private let numbering: TileNumbering
    private let levels: Mutex<[Level]>

    /// Creates the file that will be named `path`.
    /// - Throws: `inputOutput`; `invalidParameter` for a geometry or encoding that TIFF doesn't support: an overlap, a
    ///   tile size that isn't a multiple of 16, or tiles without padding at the edges; `unsupported` for any format of
    ///   tiles but JPEG.
    public init(
        path: String, geometry: PyramidGeometry, encoding: TileEncoding, overwrites: Bool = false
    ) throws(ImageError) {
        guard encoding.format == .jpeg else {
            throw ImageError(.unsupported, "a pyramid in TIFF takes JPEG tiles, not \(encoding.format)")
        }
        guard geometry.overlap == 0, geometry.tileSize % 16 == 0, encoding.padding == .edges else {
            throw ImageError(
                .invalidParameter,
                "invalid tiles for TIFF, of \(geometry.tileSize) pixels with an overlap of \(geometry.overlap): the size must be "
                    + "divisible by 16, the overlap 0, and the edges padded")
        }
        guard max(geometry.size.width, geometry.size.height) < 1 << 31 else {
            throw ImageError(
                .invalidParameter,
                "an image of \(geometry.size) is too large for TIFF; the limit for a side is \(Int32.max)")
        }
        self.geometry = geometry
        self.encoding = encoding
        numbering = TileNumbering(geometry)
        file = try OutputFile(path: path, overwrites: overwrites)
        levels = Mutex([Level](repeating: Level(), count: geometry.levels.count))
        appender = TileAppender(
            file, start: Self.headerByteCount, places: [TilePlace](repeating: .missing, count: numbering.count),
            isChunked: false)
        // The directory's offset is filled in at the end.
        try file.write(Self.header(directory: 0), at: 0)
    }

    private static let headerByteCount = 16

    private static func header(directory: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x49, 0x49, 43, 0, 8, 0, 0, 0]
        bytes.append(littleEndian: UInt64(directory))
        return bytes
    }

    /// Appends a tile.
    /// - Throws: `inputOutput` if it can't be written; `invalidParameter` for a tile encoded differently from the
    ///   others of its level.
    public func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError) {
        // The pointer is used only within the call.
        try bytes.withUnsafeBytes { (bytes) throws(ImageError) in
            let parts = try JPEGParts(bytes)
            guard parts.size.width == geometry.tileSize, parts.size.height == geometry.tileSize else {
                throw ImageError(.invalidParameter, "tile \(address) is \(parts.size), and not filled up")
            }
            let (first, sharesTables) = levels.withLock { levels in
                var level = levels[address.level]
                if level.parts == nil {
                    level.parts = parts
                    level.parts?.rest = []
                    level.sharesTables = parts.hasWholeTables
                    levels[address.level] = level
                }
                return (level.parts ?? parts, level.sharesTables)
            }
            guard parts.componentCount == first.componentCount, parts.sampling == first.sampling,
                !sharesTables || parts.tables == first.tables
            else {
                throw ImageError(.invalidParameter, "tile \(address) isn't encoded like the others of its level")
            }
            if sharesTables {
                try parts.rest.span.bytes.withUnsafeBytes { (rest) throws(ImageError) in
                    try appender.append(rest, number: numbering[address])
                }
            } else {
                try appender.append(bytes, number: numbering[address])
            }
        }
    }

    /// Writes the directories and gives the file its name.
    /// - Throws: `inputOutput`.
    public func finish() throws(ImageError) {
        let (places, end) = try appender.finish()
        let levels = levels.withLock { $0 }
        let start = (end + 7) / 8 * 8
        var offset = start
        var bytes: [UInt8] = []
        for (level, state) in levels.enumerated() {
            let count = geometry.columnCount(level) * geometry.rowCount(level)
            let first = numbering.start(of: level)
            let directory = directory(level, state, places[first..<first + count])
            let next = level + 1 < levels.count ? offset + directory.byteCount : 0
            bytes += directory.bytes(at: offset, next: next)
            offset += directory.byteCount
        }
        try file.write(bytes, at: start)
        try file.write(Self.header(directory: start), at: 0)
        try file.commit()
    }

    private func directory(_ level: Int, _ state: Level, _ places: ArraySlice<TilePlace>) -> BigTIFFDirectory {
        let size = geometry.levels[level]
        let components = state.parts?.componentCount ?? 3
        let sampling = state.parts?.sampling ?? (horizontal: 2, vertical: 2)
        var directory = BigTIFFDirectory()
        directory.add(254, longs: [level == 0 ? 0 : 1])  // NewSubfileType: reduced resolution
        directory.add(256, longs: [size.width])
        directory.add(257, longs: [size.height])
        directory.add(258, shorts: [Int](repeating: 8, count: components))  // BitsPerSample
        directory.add(259, shorts: [7])  // Compression: JPEG
        directory.add(262, shorts: [components == 1 ? 1 : 6])  // PhotometricInterpretation: grey or YCbCr
        directory.add(274, shorts: [1])  // Orientation
        directory.add(277, shorts: [components])  // SamplesPerPixel
        directory.add(284, shorts: [1])  // PlanarConfiguration
        directory.add(322, longs: [geometry.tileSize])
        directory.add(323, longs: [geometry.tileSize])
        directory.add(324, offsets: places.map(\.offset))
        directory.add(325, longs: places.map(\.byteCount))
        if state.sharesTables, let tables = state.parts?.tables {
            directory.add(347, undefined: [0xFF, 0xD8] + tables + [0xFF, 0xD9])  // JPEGTables
        }
        if components == 3 { directory.add(530, shorts: [sampling.horizontal, sampling.vertical]) }
        return directory
    }
}
