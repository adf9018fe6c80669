public import ImageFormats
internal import Raster

/// A pyramid in one file: tiles, and an index that finds each with a single read.
///
/// The index is read and checked when the file is opened, 16 bytes a tile; a tile is read, and held against its checksum,
/// when it is asked for. No number in the file is trusted: what lies outside of it is an error.
public final class PackedPyramid: StoredPyramid {
    /// How the picture is divided.
    public let geometry: PyramidGeometry
    /// How the tiles were made.
    public let encoding: TileEncoding
    /// What was said of the picture when the file was made.
    public let metadata: [String: String]
    /// How many tiles there are; fewer than the geometry has when the picture ended too early.
    public let presentTileCount: Int
    /// How long the file is.
    public var byteCount: Int { file.length }

    private let file: Source
    private let index: [UInt8]
    private let numbering: TileNumbering

    /// Opens the file at `path`.
    ///
    /// Complexity: O(tiles).
    /// - Throws: `inputOutput` when it can't be read, and as `init(_:)`.
    public convenience init(path: String) throws(ImageError) { try self.init(Source(regularFile: path)) }

    /// Opens the pyramid in `source`, whose tiles are read when they are asked for.
    ///
    /// Complexity: O(tiles).
    /// - Throws: `unknownFormat` when it is something else, `truncated` when it was never finished or is cut off, `corrupt`
    ///   and `unsupported` for what its header or index says; `invalidParameter` for a stream.
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

    /// What the tiles are encoded in.
    public var format: ImageFormat { encoding.format }
    /// They aren't.
    public var isPadded: Bool { false }

    /// Where in the file a tile is; nil for one that isn't there. Traps unless the geometry has it.
    /// - Throws: `corrupt` for a place outside of the file.
    public func range(of address: TileAddress) throws(ImageError) -> Range<Int>? {
        try place(address).map { Int($0.offset)..<Int($0.offset) + Int($0.byteCount) }
    }

    /// A tile's file; nil for one that isn't there. Traps unless the geometry has it.
    /// - Throws: `inputOutput`, and `corrupt` for a tile whose checksum is wrong.
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
