internal import CTesseraLibDeflate

/// CRC-32 as in PNG, zlib and zip.
package enum CRC32 {
    /// The checksum of `bytes` that come after those of which it is `start`.
    package static func of(_ bytes: UnsafeRawBufferPointer, after start: UInt32 = 0) -> UInt32 {
        // Without bytes the library takes a null pointer for a new beginning.
        bytes.isEmpty ? start : libdeflate_crc32(start, bytes.baseAddress, bytes.count)
    }

    /// The checksum of `bytes` that come after those of which it is `start`.
    package static func of(_ bytes: some Sequence<UInt8>, after start: UInt32 = 0) -> UInt32 {
        // The pointer is used within the call only.
        bytes.withContiguousStorageIfAvailable { of(UnsafeRawBufferPointer($0), after: start) }
            ?? Array(bytes).withUnsafeBytes { of($0, after: start) }
    }
}
