internal import CTesseraLibDeflate

/// CRC-32 as in PNG, zlib and zip.
package enum TileChecksum {
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        // Without bytes the library takes a null pointer for a new beginning.
        bytes.isEmpty ? 0 : libdeflate_crc32(0, bytes.baseAddress, bytes.count)
    }

    package static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        // The pointer is used within the call only.
        bytes.withContiguousStorageIfAvailable { of(UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes { of($0) }
    }
}
