internal import Raster

/// A number by which a picture's bytes are told from others, beside their count and date; no match for malice.
///
/// Of a large file some are looked at: its beginning, its end, and pieces in between.
enum PictureDigest {
    private static let pieceCount = 32
    private static let pieceByteCount = 1 << 12

    /// The digest of a picture.
    static func of(_ bytes: PictureBytes) throws(ImageError) -> UInt64 {
        var sum = start
        let step = max(pieceByteCount, (bytes.count - pieceByteCount) / (pieceCount - 1))
        var first = 0
        while first < bytes.count {
            let range = first..<min(bytes.count, first + pieceByteCount)
            try bytes.withBytes(in: [range]) { span, offsets in
                add(span.extracting(range.lowerBound - offsets[0]..<range.upperBound - offsets[0]), to: &sum)
            }
            // The last piece ends with the file.
            first = first + step < bytes.count ? first + step : bytes.count
        }
        return sum
    }

    /// The digest of bytes at hand.
    static func of(_ bytes: [UInt8]) -> UInt64 {
        var sum = start
        add(bytes.span.bytes, to: &sum)
        return sum
    }

    // FNV-1a, 64 bits (draft-eastlake-fnv).
    private static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    private static func add(_ bytes: RawSpan, to sum: inout UInt64) {
        // Used within the call only.
        bytes.withUnsafeBytes { for byte in $0 { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 } }
    }
}
