internal import ImageFormats

/// A run of tiles in a packed file, with a directory from which they are found when there is no index.
///
/// `Documentation/packed-pyramid.md` defines its bytes.
package enum PackedChunk {
    package static let headerByteCount = 24
    package static let entryByteCount = 16
    private static let magic: UInt32 = 0x4B4E_4843  // "CHNK"

    /// The fields of a chunk's header.
    package struct Header {
        package let tileCount: Int
        package let byteCount: Int
        package let directoryChecksum: UInt32
    }

    /// Appends the directory to the tiles of a chunk and fills in its header, for which space is reserved.
    /// - Parameter tiles: The tiles' numbers and places; offsets count from the chunk's first byte.
    package static func close(_ bytes: inout [UInt8], _ tiles: [(number: Int, place: TilePlace)]) {
        let directory = bytes.count
        for (number, place) in tiles {
            bytes.append(littleEndian: UInt32(number))
            bytes.append(littleEndian: UInt32(place.offset))
            bytes.append(littleEndian: place.byteCount)
            bytes.append(littleEndian: place.checksum)
        }
        bytes.set(littleEndian: magic, at: 0)
        bytes.set(littleEndian: UInt32(tiles.count), at: 4)
        bytes.set(littleEndian: UInt64(bytes.count), at: 8)
        bytes.set(littleEndian: CRC32.of(bytes[directory...]), at: 16)
        bytes.set(littleEndian: CRC32.of(bytes[..<20]), at: 20)
    }

    /// Parses a header; returns nil if it is invalid.
    package static func header(_ bytes: [UInt8]) -> Header? {
        guard bytes.count == headerByteCount, bytes.field(UInt32.self, at: 0) == magic,
            bytes.field(UInt32.self, at: 20) == CRC32.of(bytes[..<20]),
            let tileCount = bytes.field(UInt32.self, at: 4), let byteCount = bytes.field(UInt64.self, at: 8),
            let checksum = bytes.field(UInt32.self, at: 16), byteCount < 1 << 40,
            headerByteCount + entryByteCount * Int(tileCount) <= Int(byteCount)
        else { return nil }
        return Header(tileCount: Int(tileCount), byteCount: Int(byteCount), directoryChecksum: checksum)
    }

    /// Finds the tiles that are whole in a chunk's bytes; returns none for a chunk that wasn't written to its end.
    /// - Returns: The tiles' numbers and places; offsets count from the chunk's first byte.
    package static func tiles(_ bytes: [UInt8], _ header: Header) -> [(number: Int, place: TilePlace)] {
        guard bytes.count == header.byteCount else { return [] }
        let directory = bytes.count - header.tileCount * entryByteCount
        guard CRC32.of(bytes[directory...]) == header.directoryChecksum else { return [] }
        return (0..<header.tileCount).compactMap { index in
            let entry = directory + index * entryByteCount
            guard let number = bytes.field(UInt32.self, at: entry),
                let offset = bytes.field(UInt32.self, at: entry + 4),
                let byteCount = bytes.field(UInt32.self, at: entry + 8),
                let checksum = bytes.field(UInt32.self, at: entry + 12), Int(offset) + Int(byteCount) <= directory,
                byteCount > 0, CRC32.of(bytes[Int(offset)..<Int(offset) + Int(byteCount)]) == checksum
            else { return nil }
            return (Int(number), TilePlace(offset: UInt64(offset), byteCount: byteCount, checksum: checksum))
        }
    }
}
