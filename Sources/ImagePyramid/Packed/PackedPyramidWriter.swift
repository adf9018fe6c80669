internal import ImageFormats
public import Raster

/// Writes a pyramid into one file, which `PackedPyramid` reads.
///
/// Tiles are appended by any thread in pieces of a megabyte; the index follows at the end, and only then do the first bytes
/// say that the file is complete. Unless the writer resumes, nothing is left of a file that wasn't finished.
public final class PackedPyramidWriter: TileSink {
    /// How many tiles were found in what an interrupted run left.
    public let resumedTileCount: Int

    /// How the picture is divided.
    public var geometry: PyramidGeometry { header.geometry }
    /// How the tiles are encoded.
    public var encoding: TileEncoding { header.encoding }

    private let file: OutputFile
    private let appender: TileAppender
    private let numbering: TileNumbering
    private let header: PackedHeader
    private let metadata: [UInt8]

    /// Makes room for the file that will be called `path`.
    /// - Parameters:
    ///   - metadata: What is to be known of the picture.
    ///   - overwrites: Whether a file of that name may be replaced.
    ///   - resumes: Whether the file is called `path` and `.part` until it is finished and stays when it isn't. If there is
    ///     one of the same geometry, encoding and metadata, its whole tiles are kept; any other is written anew.
    /// - Throws: `inputOutput`; `invalidParameter` for what a packed pyramid can't hold.
    public init(
        path: String, geometry: PyramidGeometry, encoding: TileEncoding, metadata: [String: String] = [:],
        overwrites: Bool = false, resumes: Bool = false
    ) throws(ImageError) {
        let numbering = TileNumbering(geometry)
        guard numbering.count <= Int(UInt32.max) else {
            throw ImageError(.limitExceeded, "a packed pyramid can't have \(numbering.count) tiles")
        }
        let header = try PackedHeader(geometry, encoding)
        let words = try PackedMetadata.bytes(metadata)
        let file =
            resumes
            ? try OutputFile(resuming: path, overwrites: overwrites)
            : try OutputFile(path: path, overwrites: overwrites)
        // What tells an interrupted run of the same work from another's.
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
    /// - Returns: Where the next chunk goes.
    private static func collect(
        _ file: OutputFile, from start: Int, to end: Int, into places: inout [TilePlace]
    ) throws(ImageError) -> Int {
        var position = start
        while end - position >= PackedChunk.headerByteCount,
            let chunk = PackedChunk.header(try file.read(PackedChunk.headerByteCount, at: position))
        {
            // What wasn't written any more reads as nothing, or as zeros, and has no tiles.
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

    /// Whether the tile is there from an interrupted run.
    public func contains(_ address: TileAddress) -> Bool { appender.contains(numbering[address]) }

    /// Appends a tile.
    /// - Throws: `inputOutput` when it can't be written.
    public func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError) {
        // Used within the call only.
        try bytes.withUnsafeBytes { (bytes) throws(ImageError) in
            try appender.append(bytes, number: numbering[address])
        }
    }

    /// Writes the tiles that were gathered, so that they are there after an interruption. No thread may write meanwhile.
    /// - Throws: `inputOutput`.
    public func flush() throws(ImageError) { _ = try appender.finish() }

    /// Writes the index, says that the file is complete, and gives it its name.
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
