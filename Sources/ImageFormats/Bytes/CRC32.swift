internal import CTesseraLibDeflate

/// CRC-32 as in PNG, zlib and zip.
package enum CRC32 {
    /// Returns the checksum of `bytes`, continued from the checksum `start` of the bytes before them.
    package static func of(_ bytes: UnsafeRawBufferPointer, after start: UInt32 = 0) -> UInt32 {
        // The library would take the null pointer of an empty buffer for a request to start again.
        bytes.isEmpty ? start : libdeflate_crc32(start, bytes.baseAddress, bytes.count)
    }

    /// Returns the checksum of `bytes`, continued from the checksum `start` of the bytes before them.
    package static func of(_ bytes: some Sequence<UInt8>, after start: UInt32 = 0) -> UInt32 {
        // The pointer is used within the call only.
        bytes.withContiguousStorageIfAvailable { of(UnsafeRawBufferPointer($0), after: start) }
            ?? Array(bytes).withUnsafeBytes { of($0, after: start) }
    }
}
