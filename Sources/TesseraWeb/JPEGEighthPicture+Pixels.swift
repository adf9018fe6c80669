internal import JPEGBitstream

extension JPEGEighthPicture {
    /// Rows as RGBA, of those in the given number of complete rows of MCUs.
    func pixels(in rows: Range<Int>, mcuRowCount: Int, storesRGB: Bool) -> [UInt8] {
        let arrived = min(height, mcuRowCount * planes[0].mcuRows)
        let first = min(max(0, rows.lowerBound), arrived)
        let rows = first..<max(first, min(rows.upperBound, arrived))
        return [UInt8](unsafeUninitializedCapacity: rows.count * width * 4) { pixels, count in
            for y in rows { write(y, to: pixels, from: (y - first) * width * 4, storesRGB: storesRGB) }
            count = rows.count * width * 4
        }
    }

    /// Writes four bytes for each column, all in bounds.
    private func write(_ row: Int, to pixels: UnsafeMutableBufferPointer<UInt8>, from place: Int, storesRGB: Bool) {
        let start = start(of: row, in: 0)
        guard planes.count == 3 else {
            for x in 0..<width { Self.write((samples[start + x], 0, 0), isGray: true, to: pixels, at: place + 4 * x) }
            return
        }
        let (second, third) = (self.start(of: row, in: 1), self.start(of: row, in: 2))
        let columns = planes[1].columns
        for x in 0..<width {
            let (a, b, c) = (samples[start + x], samples[second + x / columns], samples[third + x / columns])
            Self.write(storesRGB ? (a, b, c) : Self.rgb(a, b, c), isGray: false, to: pixels, at: place + 4 * x)
        }
    }

    @inline(__always)
    static func write(
        _ color: (UInt8, UInt8, UInt8), isGray: Bool, to pixels: UnsafeMutableBufferPointer<UInt8>, at place: Int
    ) {
        pixels[place] = color.0
        pixels[place + 1] = isGray ? color.0 : color.1
        pixels[place + 2] = isGray ? color.0 : color.2
        pixels[place + 3] = 255
    }

    /// JFIF's equations in 16-bit fixed point: 1.402, 0.344136, 0.714136 and 1.772 times 65536.
    @inline(__always)
    static func rgb(_ luma: UInt8, _ blue: UInt8, _ red: UInt8) -> (UInt8, UInt8, UInt8) {
        let (y, cb, cr) = (Int32(luma), Int32(blue) - 128, Int32(red) - 128)
        return (
            clamped(y + (91881 * cr + 32768) >> 16), clamped(y + (32768 - 22554 * cb - 46802 * cr) >> 16),
            clamped(y + (116_130 * cb + 32768) >> 16)
        )
    }

    @inline(__always)
    private static func clamped(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(value, 0), 255)) }
}
