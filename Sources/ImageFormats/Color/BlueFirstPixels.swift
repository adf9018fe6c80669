internal import Raster

/// Converts stored pixels whose bytes are blue, green, red and, of four, alpha, as in BMP and TGA.
///
/// Pixels are read and written as words. For three bytes that takes half the time of single bytes, for four a fifth.
enum BlueFirstPixels {
    /// Fills the row with pixels of three bytes, from pixel `first` of `bytes` on.
    /// - Precondition: `bytes` has all of the row's pixels.
    static func expandRGB(_ bytes: Span<UInt8>, from first: Int, to row: inout MutableSpan<RGBA8>) {
        let count = row.count
        let source = bytes.extracting((3 * first)..<(3 * (first + count)))
        // Each word has two pixels and two bytes of the next; the last ends within the source: 6 pair + 8 ≤ 3 count.
        let pairCount = max(0, (3 * count - 2) / 6)
        row.withUnsafeMutableBytes { target in
            source.withUnsafeBytes { source in
                // `target` has eight bytes for each pair, since 2 pairCount ≤ count.
                for pair in 0..<pairCount {
                    let word = UInt64(bigEndian: source.loadUnaligned(fromByteOffset: 6 &* pair, as: UInt64.self))
                    let second = (word &>> 16) & 0xFF_FFFF
                    let pixels = word &>> 40 | second &<< 32 | 0xFF00_0000_FF00_0000
                    target.storeBytes(of: pixels.littleEndian, toByteOffset: 8 &* pair, as: UInt64.self)
                }
            }
        }
        for x in (2 * pairCount)..<count {
            row[x] = RGBA8(source[3 * x + 2], source[3 * x + 1], source[3 * x])
        }
    }

    /// Fills the row with pixels of four bytes, from pixel `first` of `bytes` on.
    /// - Parameter isOpaque: Whether to ignore alpha.
    /// - Precondition: `bytes` has all of the row's pixels.
    static func expandRGBA(
        _ bytes: Span<UInt8>, from first: Int, to row: inout MutableSpan<RGBA8>, isOpaque: Bool
    ) {
        let count = row.count
        let source = bytes.extracting((4 * first)..<(4 * (first + count)))
        let opaque: UInt32 = isOpaque ? 0xFF00_0000 : 0
        row.withUnsafeMutableBytes { target in
            source.withUnsafeBytes { source in
                // Both have four bytes for each of `count` pixels.
                for x in 0..<count {
                    let word = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self))
                    let red = (word &>> 16) & 0xFF
                    let blue = (word & 0xFF) &<< 16
                    let pixel = word & 0xFF00_FF00 | red | blue | opaque
                    target.storeBytes(of: pixel.littleEndian, toByteOffset: 4 &* x, as: UInt32.self)
                }
            }
        }
    }

    /// Stores the row's pixels in three bytes each.
    /// - Precondition: `bytes` has room for all of them.
    static func packRGB(_ row: Span<RGBA8>, to bytes: inout MutableSpan<UInt8>) {
        let count = row.count
        precondition(bytes.count >= 3 * count)
        // Each word has two pixels and two bytes that the next one replaces; the last ends within the target: 6 pair + 8 ≤ 3 count.
        let pairCount = max(0, (3 * count - 2) / 6)
        bytes.withUnsafeMutableBytes { target in
            row.withUnsafeBytes { source in
                // `source` has eight bytes for each pair, since 2 pairCount ≤ count.
                for pair in 0..<pairCount {
                    let word = UInt64(bigEndian: source.loadUnaligned(fromByteOffset: 8 &* pair, as: UInt64.self))
                    let pixels = word &>> 40 | (word &>> 8 & 0xFF_FFFF) &<< 24
                    target.storeBytes(of: pixels.littleEndian, toByteOffset: 6 &* pair, as: UInt64.self)
                }
            }
        }
        for x in (2 * pairCount)..<count {
            let pixel = row[x]
            (bytes[3 * x], bytes[3 * x + 1], bytes[3 * x + 2]) = (pixel.blue, pixel.green, pixel.red)
        }
    }

    /// Stores the row's pixels in four bytes each.
    /// - Precondition: `bytes` has room for all of them.
    static func packRGBA(_ row: Span<RGBA8>, to bytes: inout MutableSpan<UInt8>) {
        precondition(bytes.count >= 4 * row.count)
        bytes.withUnsafeMutableBytes { target in
            row.withUnsafeBytes { source in
                // Both have four bytes for each pixel.
                for x in row.indices {
                    let word = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self))
                    let pixel = word & 0xFF00_FF00 | word &>> 16 & 0xFF | (word & 0xFF) &<< 16
                    target.storeBytes(of: pixel.littleEndian, toByteOffset: 4 &* x, as: UInt32.self)
                }
            }
        }
    }
}
