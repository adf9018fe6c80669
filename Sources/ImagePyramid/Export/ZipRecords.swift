internal import ImageFormats

/// The records of a zip archive with uncompressed files (APPNOTE 6.3, with the fields of zip64).
package enum ZipRecords {
    /// A file in the archive.
    package struct Entry {
        package var name: [UInt8]
        /// The offset of its local header.
        package var offset: UInt64
        package var byteCount: UInt32
        package var checksum: UInt32

        package init(name: [UInt8], offset: UInt64, byteCount: UInt32, checksum: UInt32) {
            self.name = name
            self.offset = offset
            self.byteCount = byteCount
            self.checksum = checksum
        }
    }

    /// Midnight of 1 January 1980, the earliest date, so that the same tiles make the same archive.
    private static let date: UInt32 = 0x0021_0000
    /// Bit 11: names are in UTF-8.
    private static let flags: UInt16 = 0x0800

    /// Returns the record before a file's bytes.
    package static func localHeader(_ name: [UInt8], byteCount: UInt32, checksum: UInt32) -> [UInt8] {
        var bytes: [UInt8] = [0x50, 0x4B, 3, 4]
        bytes.append(littleEndian: UInt16(10))
        bytes.append(littleEndian: flags)
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: date)
        bytes.append(littleEndian: checksum)
        bytes.append(littleEndian: byteCount)
        bytes.append(littleEndian: byteCount)
        bytes.append(littleEndian: UInt16(name.count))
        bytes.append(littleEndian: UInt16(0))
        return bytes + name
    }

    /// Appends a file's record in the central directory.
    package static func append(_ entry: Entry, to bytes: inout [UInt8]) {
        let isFar = entry.offset >= UInt64(UInt32.max)
        bytes += [0x50, 0x4B, 1, 2]
        // Made on Unix, so that the permissions below apply.
        bytes.append(littleEndian: UInt16(3 << 8 | 45))
        bytes.append(littleEndian: UInt16(isFar ? 45 : 10))
        bytes.append(littleEndian: flags)
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: date)
        bytes.append(littleEndian: entry.checksum)
        bytes.append(littleEndian: entry.byteCount)
        bytes.append(littleEndian: entry.byteCount)
        bytes.append(littleEndian: UInt16(entry.name.count))
        bytes.append(littleEndian: UInt16(isFar ? 12 : 0))
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: UInt32(0o100644 << 16))
        bytes.append(littleEndian: isFar ? UInt32.max : UInt32(entry.offset))
        bytes += entry.name
        if isFar {
            bytes.append(littleEndian: UInt16(1))
            bytes.append(littleEndian: UInt16(8))
            bytes.append(littleEndian: entry.offset)
        }
    }

    /// Returns the records after the central directory.
    package static func end(count: Int, directoryOffset: Int, directoryByteCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        let isLarge =
            count >= Int(UInt16.max) || directoryOffset >= Int(UInt32.max) || directoryByteCount >= Int(UInt32.max)
        if isLarge {
            bytes += [0x50, 0x4B, 6, 6]
            bytes.append(littleEndian: UInt64(44))
            bytes.append(littleEndian: UInt16(3 << 8 | 45))
            bytes.append(littleEndian: UInt16(45))
            bytes.append(littleEndian: UInt32(0))
            bytes.append(littleEndian: UInt32(0))
            for number in [count, count, directoryByteCount, directoryOffset] {
                bytes.append(littleEndian: UInt64(number))
            }
            bytes += [0x50, 0x4B, 6, 7]
            bytes.append(littleEndian: UInt32(0))
            bytes.append(littleEndian: UInt64(directoryOffset + directoryByteCount))
            bytes.append(littleEndian: UInt32(1))
        }
        bytes += [0x50, 0x4B, 5, 6]
        bytes.append(littleEndian: UInt32(0))
        for _ in 0..<2 { bytes.append(littleEndian: UInt16(min(count, Int(UInt16.max)))) }
        bytes.append(littleEndian: UInt32(min(directoryByteCount, Int(UInt32.max))))
        bytes.append(littleEndian: UInt32(min(directoryOffset, Int(UInt32.max))))
        bytes.append(littleEndian: UInt16(0))
        return bytes
    }
}
