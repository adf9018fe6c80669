/// Where in a file a tile is; 16 bytes.
package struct TilePlace: Hashable, Sendable {
    /// The first byte.
    package var offset: UInt64
    /// 0 for a tile that isn't there.
    package var byteCount: UInt32
    /// CRC-32 of the bytes.
    package var checksum: UInt32

    package static let missing = TilePlace(offset: 0, byteCount: 0, checksum: 0)

    package var isMissing: Bool { byteCount == 0 }
}
