internal import ImageFormats
public import Raster

/// Writes a pyramid into one file, which `PackedPyramid` reads.
///
/// Tiles are appended from any thread in pieces of a megabyte. The index follows at the end, and then the first bytes
/// are changed to those of a complete file. An unfinished file is removed unless the writer resumes.
public final class PackedPyramidWriter: TileSink {
    /// The number of tiles kept from an interrupted run.
    public let resumedTileCount: Int

    /// The levels and tiles.
    public var geometry: PyramidGeometry { header.geometry }
    /// The encoding of the tiles.
    public var encoding: TileEncoding { header.encoding }

    private let file: OutputFile
    private let appender: TileAppender
    private let numbering: TileNumbering
    private let header: PackedHeader
    private let metadata: [UInt8]

    /// Creates the file that will be named `path`.
    /// - Parameters:
    ///   - metadata: Names and values to store in the file.
    ///   - overwrites: Whether an existing file may be replaced.
    ///   - resumes: Whether the file is named `path` with `.part` until it is finished, and stays if it isn't. If there
    ///     is one with the same geometry, encoding and metadata, its whole tiles are kept; any other is written from
    ///     the start.
    /// - Throws: `inputOutput`; `invalidParameter` for a geometry or encoding that a packed pyramid doesn't support;
    ///   `limitExceeded` for too many tiles.
    public init(
        path: String, geometry: PyramidGeometry, encoding: TileEncoding, metadata: [String: String] = [:],
        overwrites: Bool = false, resumes: Bool = false
    ) throws(ImageError) {
        let numbering = TileNumbering(geometry)
        guard numbering.count <= Int(UInt32.max) else {
            throw ImageError(
                .limitExceeded,
                "\(numbering.count) tiles are too many for a packed pyramid; the limit is \(UInt32.max): use larger tiles"
            )
        }
        let header = try PackedHeader(geometry, encoding)
        let words = try PackedMetadata.bytes(metadata)
        let file =
            resumes
            ? try OutputFile(resuming: path, overwrites: overwrites)
            : try OutputFile(path: path, overwrites: overwrites)
        // The header and metadata identify an interrupted run of the same work.
        var start = header.bytes
        start.append(littleEndian: UInt32(words.count))
        start += words
        var places = [TilePlace](repeating: .missing, count: numbering.count)
        var end = start.count
        let left = resumes ? file.byteCount : 0
        if left >= start.count, try file.read(start.count, at: 0) == start {
            end = try Self.collect(file, from: start.count, to: left, into: &places)
        } else if left > 0 {
            try file.truncate(to: 0)
        }
        resumedTileCount = places.reduce(0) { $0 + ($1.isMissing ? 0 : 1) }
        try file.write(start, at: 0)
        appender = TileAppender(file, start: end, places: places, isChunked: true)
        (self.file, self.numbering, self.header, self.metadata) = (file, numbering, header, words)
    }

    /// Finds the tiles in the chunks of an interrupted run.
    /// - Returns: The offset of the next chunk.
    private static func collect(
        _ file: OutputFile, from start: Int, to end: Int, into places: inout [TilePlace]
    ) throws(ImageError) -> Int {
        var position = start
        while end - position >= PackedChunk.headerByteCount,
            let chunk = PackedChunk.header(try file.read(PackedChunk.headerByteCount, at: position))
        {
            // Parts that weren't written are missing or zero, and contain no tiles.
            if chunk.byteCount <= end - position {
                for (number, place) in PackedChunk.tiles(try file.read(chunk.byteCount, at: position), chunk)
                where number < places.count {
                    places[number] = TilePlace(
                        offset: place.offset + UInt64(position), byteCount: place.byteCount, checksum: place.checksum)
                }
            }
            position += chunk.byteCount
        }
        return position
    }

    /// Returns whether the tile is written, or kept from an interrupted run.
    public func contains(_ address: TileAddress) -> Bool { appender.contains(numbering[address]) }

    /// Appends a tile.
    /// - Throws: `inputOutput` if it can't be written.
    public func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError) {
        // The pointer is used only within the call.
        try bytes.withUnsafeBytes { (bytes) throws(ImageError) in
            try appender.append(bytes, number: numbering[address])
        }
    }

    /// Writes buffered tiles, so that they survive an interruption. No other thread may write during the call.
    /// - Throws: `inputOutput`.
    public func flush() throws(ImageError) { _ = try appender.finish() }

    /// Writes the index, marks the file as complete, and gives it its name.
    /// - Throws: `inputOutput`.
    public func finish() throws(ImageError) {
        let (places, end) = try appender.finish()
        var index: [UInt8] = []
        index.reserveCapacity(places.count * 16)
        for place in places {
            index.append(littleEndian: place.offset)
            index.append(littleEndian: place.byteCount)
            index.append(littleEndian: place.checksum)
        }
        try file.write(index, at: end)
        try file.truncate(to: end + index.count)
        var header = header
        header.isComplete = true
        header.tileCount = places.count
        header.presentTileCount = places.reduce(0) { $0 + ($1.isMissing ? 0 : 1) }
        header.indexOffset = end
        header.indexChecksum = CRC32.of(index)
        header.metadataOffset = PackedHeader.byteCount + 4
        header.metadataByteCount = metadata.count
        header.metadataChecksum = CRC32.of(metadata)
        try file.write(header.bytes, at: 0)
        try file.commit()
    }
}
