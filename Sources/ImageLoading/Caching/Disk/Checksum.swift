internal import CTesseraLibDeflate

/// CRC-32 as in PNG and zlib.
enum Checksum {
    /// The checksum of `bytes` that come after those of which it is `start`.
    static func of(_ bytes: UnsafeRawBufferPointer, after start: UInt32 = 0) -> UInt32 {
        // Without bytes the library takes a null pointer for a new beginning.
        bytes.isEmpty ? start : libdeflate_crc32(start, bytes.baseAddress, bytes.count)
    }

    /// The checksum of `bytes` that come after those of which it is `start`.
    static func of(_ bytes: ArraySlice<UInt8>, after start: UInt32 = 0) -> UInt32 {
        // The pointer is used within the call only.
        bytes.withUnsafeBytes { of($0, after: start) }
    }
}
