// The conversion of channels between 8 and 16 bits, for loops over pixels in any module.

extension UInt8 {
    /// The value with 16 bits, v × 257, so that the largest stays the largest.
    @inlinable @inline(__always) package var widened: UInt16 { UInt16(self) &* 257 }
}

extension UInt16 {
    /// The value rounded to 8 bits, (v × 255 + 32767) / 65535.
    @inlinable @inline(__always) package var narrowed: UInt8 {
        // The same without a division, for all 65536 values.
        UInt8(truncatingIfNeeded: (UInt32(self) &* 255 &+ 32895) &>> 16)
    }
}
