extension RawSpan {
    /// The byte at an offset; the offset must lie inside.
    func byte(at offset: Int) -> UInt8 {
        // A byte has no invalid bit pattern and no alignment, and the load checks its bounds.
        unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
    }

    func littleEndianUInt16(at offset: Int) -> UInt16 {
        UInt16(byte(at: offset)) | UInt16(byte(at: offset + 1)) << 8
    }

    func littleEndianUInt32(at offset: Int) -> UInt32 {
        UInt32(littleEndianUInt16(at: offset)) | UInt32(littleEndianUInt16(at: offset + 2)) << 16
    }

    /// Whether the bytes begin with a JPEG's start-of-image marker.
    var startsAsJPEG: Bool {
        byteCount >= 2 && byte(at: 0) == 0xFF && byte(at: 1) == 0xD8
    }

    /// Whether the bytes begin with PNG's signature.
    var startsAsPNG: Bool {
        byteCount >= 8 && littleEndianUInt32(at: 0) == 0x474E_5089 && littleEndianUInt32(at: 4) == 0x0A1A_0A0D
    }
}
