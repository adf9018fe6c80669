/// Straight 8-bit pixels with their colours multiplied by alpha, 6 bits kept after the point, and back.
enum WideBytes {
    /// 1, 255 in a byte.
    static let one: Int32 = 255 << 6

    /// Each colour c becomes c × a × 64 / 255 rounded, alpha a × 64.
    static func fill(_ target: UnsafeMutablePointer<Int16>, from row: Span<RGBA8>) {
        for x in row.indices {
            let pixel = row[x]
            let alpha = UInt32(pixel.alpha) &* 64
            // At most 255 × 16320 / 255.
            target[4 * x] = Int16(truncatingIfNeeded: (UInt32(pixel.red) &* alpha &+ 127) / 255)
            target[4 * x + 1] = Int16(truncatingIfNeeded: (UInt32(pixel.green) &* alpha &+ 127) / 255)
            target[4 * x + 2] = Int16(truncatingIfNeeded: (UInt32(pixel.blue) &* alpha &+ 127) / 255)
            target[4 * x + 3] = Int16(truncatingIfNeeded: alpha)
        }
    }

    /// Straight pixels again, limited to what a byte holds.
    static func finishStraight(_ values: UnsafePointer<Int16>, to row: inout MutableSpan<RGBA8>) {
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
    }

    @inline(__always) private static func divided(_ value: Int16, _ scale: Float) -> UInt8 {
        let color = Int32(Float(value) * scale + 0.5)
        return UInt8(truncatingIfNeeded: max(0, min(255, color)))
    }

    /// Rounded to bytes, no colour above its alpha.
    static func finishPremultiplied(_ values: UnsafePointer<Int16>, to row: inout MutableSpan<RGBA8>) {
        for x in row.indices {
            let alpha = rounded(values[4 * x + 3], 255)
            row[x] = RGBA8(
                UInt8(truncatingIfNeeded: rounded(values[4 * x], alpha)),
                UInt8(truncatingIfNeeded: rounded(values[4 * x + 1], alpha)),
                UInt8(truncatingIfNeeded: rounded(values[4 * x + 2], alpha)), UInt8(truncatingIfNeeded: alpha))
        }
    }

    /// Rounded to bytes.
    static func finishGray(_ values: UnsafePointer<Int16>, to row: inout MutableSpan<Gray8>) {
        for x in row.indices { row[x] = Gray8(UInt8(truncatingIfNeeded: rounded(values[x], 255))) }
    }

    @inline(__always) private static func rounded(_ value: Int16, _ largest: Int32) -> Int32 {
        max(0, min(largest, (Int32(value) &+ 32) >> 6))
    }
}
