#if arch(x86_64) || arch(arm64)
internal import CTesseraKernels
#endif

/// Bytes as premultiplied 16-bit values with 6 bits after the point, and back.
enum WideBytes {
    /// A byte of 255.
    static let one: Int32 = 255 << 6

    /// Each colour c becomes c × a × 64 / 255, alpha a × 64; off by less than 1 of 64.
    static func fill(_ target: UnsafeMutablePointer<Int16>, from row: Span<RGBA8>) {
        #if arch(x86_64) || arch(arm64)
        row.withUnsafeBytes { bytes in
            // The target has room for as many values as the row has bytes.
            tessera_premultiply_wide(
                bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), target, bytes.count / 4)
        }
        #else
        for x in row.indices {
            let pixel = row[x]
            let alpha = UInt16(pixel.alpha)
            target[4 * x] = product(pixel.red, alpha)
            target[4 * x + 1] = product(pixel.green, alpha)
            target[4 * x + 2] = product(pixel.blue, alpha)
            target[4 * x + 3] = Int16(pixel.alpha) &* 64
        }
        #endif
    }

    @inline(__always) private static func product(_ value: UInt8, _ alpha: UInt16) -> Int16 {
        let product = UInt16(value) &* alpha
        let scaled = product &+ (product &+ 128) >> 8
        return Int16(truncatingIfNeeded: (scaled &+ 2) >> 2)
    }

    /// Converts back to straight pixels, clamped to a byte's range.
    static func finishStraight(_ values: UnsafePointer<Int16>, to row: inout MutableSpan<RGBA8>) {
        #if arch(x86_64) || arch(arm64)
        row.withUnsafeMutableBytes { bytes in
            // There is a value for each of the row's bytes.
            tessera_unpremultiply_wide(
                values, bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.count / 4)
        }
        #else
        for x in row.indices {
            let alpha = min(one, Int32(values[4 * x + 3]))
            let byte = (alpha &+ 32) >> 6
            guard byte > 0 else {
                row[x] = RGBA8(0, 0, 0, 0)
                continue
            }
            let scale = 255 / Float(alpha)
            row[x] = RGBA8(
                divided(values[4 * x], scale), divided(values[4 * x + 1], scale), divided(values[4 * x + 2], scale),
                UInt8(truncatingIfNeeded: byte))
        }
        #endif
    }

    @inline(__always) private static func divided(_ value: Int16, _ scale: Float) -> UInt8 {
        let color = Int32(Float(value) * scale + 0.5)
        return UInt8(truncatingIfNeeded: max(0, min(255, color)))
    }

    /// Rounded to bytes, no colour above its alpha.
    static func finishPremultiplied(_ values: UnsafePointer<Int16>, to row: inout MutableSpan<RGBA8>) {
        #if arch(x86_64) || arch(arm64)
        row.withUnsafeMutableBytes { bytes in
            // There is a value for each of the row's bytes.
            tessera_round_to_bytes(
                values, bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.count, 1)
        }
        #else
        for x in row.indices {
            let alpha = rounded(values[4 * x + 3], 255)
            row[x] = RGBA8(
                rounded(values[4 * x], alpha), rounded(values[4 * x + 1], alpha), rounded(values[4 * x + 2], alpha),
                alpha)
        }
        #endif
    }

    /// Rounded to bytes.
    static func finishGray(_ values: UnsafePointer<Int16>, to row: inout MutableSpan<Gray8>) {
        #if arch(x86_64) || arch(arm64)
        row.withUnsafeMutableBytes { bytes in
            // There is a value for each of the row's bytes.
            tessera_round_to_bytes(
                values, bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.count, 0)
        }
        #else
        for x in row.indices { row[x] = Gray8(rounded(values[x], 255)) }
        #endif
    }

    @inline(__always) private static func rounded(_ value: Int16, _ largest: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(Int32(largest), (Int32(value) &+ 32) >> 6)))
    }
}
