public import ImageFormats
internal import Raster

/// A pyramid in one file: tiles, and an index by which each is found with a single read.
///
/// The index is read and checked when the file is opened, 16 bytes a tile. A tile is read, and its checksum verified,
/// when it is requested. Offsets and lengths outside the file are errors.
public final class PackedPyramid: StoredPyramid {
    /// The levels and tiles.
    public let geometry: PyramidGeometry
    /// The encoding of the tiles.
    public let encoding: TileEncoding
    /// The metadata given when the file was made.
    public let metadata: [String: String]
    /// The number of tiles in the file; fewer than in the geometry if the image was truncated.
    public let presentTileCount: Int
    /// The file's length in bytes.
    public var byteCount: Int { file.length }

    private let file: Source
    private let index: [UInt8]
    private let numbering: TileNumbering

    /// Opens the file at `path`.
    ///
    /// Complexity: O(tiles).
    /// - Throws: `inputOutput` if it can't be read, otherwise as `init(_:)`.
    public convenience init(path: String) throws(ImageError) { try self.init(Source(regularFile: path)) }

    /// Opens the pyramid in `source`, whose tiles are read when requested.
    ///
    /// Complexity: O(tiles).
    /// - Throws: `unknownFormat` for other contents, `truncated` for an unfinished or cut-off file, `corrupt` or
    ///   `unsupported` for an invalid header or index; `invalidParameter` for a stream.
    public init(_ source: Source) throws(ImageError) {
        file = source
        let header = try PackedHeader(
            reading: file.bytes(min(PackedHeader.byteCount, file.length), at: 0), fileByteCount: file.length)
        geometry = header.geometry
        encoding = header.encoding
        presentTileCount = header.presentTileCount
        numbering = TileNumbering(geometry)
        index = try file.bytes(header.tileCount * 16, at: header.indexOffset)
        guard CRC32.of(index) == header.indexChecksum else {
            throw ImageError(.corrupt, "the index's checksum is wrong", byteOffset: header.indexOffset)
        }
        let bytes = try file.bytes(header.metadataByteCount, at: header.metadataOffset)
        guard CRC32.of(bytes) == header.metadataChecksum else {
            throw ImageError(.corrupt, "the metadata's checksum is wrong", byteOffset: header.metadataOffset)
        }
        metadata = PackedMetadata.metadata(bytes)
    }

    /// The format of the tiles.
    public var format: ImageFormat { encoding.format }
    /// False: tiles at the edges are smaller.
    public var isPadded: Bool { false }

    /// Returns a tile's byte range in the file; nil if it is missing. Traps for an address outside the geometry.
    /// - Throws: `corrupt` for a range outside the file.
    public func range(of address: TileAddress) throws(ImageError) -> Range<Int>? {
        try place(address).map { Int($0.offset)..<Int($0.offset) + Int($0.byteCount) }
    }

    /// Returns a tile's encoded file; nil if it is missing. Traps for an address outside the geometry.
    /// - Throws: `inputOutput`; `corrupt` for a tile whose checksum is wrong.
    public func tile(at address: TileAddress) throws(ImageError) -> [UInt8]? {
        guard let place = try place(address) else { return nil }
        let bytes = try file.bytes(Int(place.byteCount), at: Int(place.offset))
        guard CRC32.of(bytes) == place.checksum else {
            throw ImageError(.corrupt, "the checksum of tile \(address) is wrong", byteOffset: Int(place.offset))
        }
        return bytes
    }

    private func place(_ address: TileAddress) throws(ImageError) -> TilePlace? {
        precondition(geometry.contains(address))
        let entry = numbering[address] * 16
        let place = TilePlace(
            offset: index.field(UInt64.self, at: entry) ?? 0, byteCount: index.field(UInt32.self, at: entry + 8) ?? 0,
            checksum: index.field(UInt32.self, at: entry + 12) ?? 0)
        guard !place.isMissing else { return nil }
        guard place.offset <= UInt64(file.length), UInt64(place.byteCount) <= UInt64(file.length) - place.offset
        else { throw ImageError(.corrupt, "tile \(address) is said to be beyond the file's end") }
        return place
    }
}
