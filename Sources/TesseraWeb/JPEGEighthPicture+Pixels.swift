internal import JPEGBitstream

extension JPEGEighthPicture {
    /// Rows as RGBA, of those whose data has arrived.
    func pixels(in rows: Range<Int>, storesRGB: Bool) -> [UInt8] {
        let arrived = min(height, samples.count / mcuRowByteCount * planes[0].mcuRows)
        let rows = max(0, rows.lowerBound)..<max(0, rows.lowerBound, min(rows.upperBound, arrived))
        var pixels: [UInt8] = []
        pixels.reserveCapacity(rows.count * width * 4)
        for y in rows {
            let starts = planes.indices.map { start(of: y, in: $0) }
            for x in 0..<width {
                let first = samples[starts[0] + x / planes[0].columns]
                guard planes.count == 3 else {
                    pixels.append(first)
                    pixels.append(first)
                    pixels.append(first)
                    pixels.append(255)
                    continue
                }
                let second = samples[starts[1] + x / planes[1].columns]
                let third = samples[starts[2] + x / planes[2].columns]
                if storesRGB {
                    pixels.append(first)
                    pixels.append(second)
                    pixels.append(third)
                } else {
                    // JFIF's equations in 16-bit fixed point: 1.402, 0.344136, 0.714136 and 1.772 times 65536.
                    let (y, cb, cr) = (Int32(first), Int32(second) - 128, Int32(third) - 128)
                    pixels.append(Self.clamped(y + (91881 * cr + 32768) >> 16))
                    pixels.append(Self.clamped(y + (32768 - 22554 * cb - 46802 * cr) >> 16))
                    pixels.append(Self.clamped(y + (116_130 * cb + 32768) >> 16))
                }
                pixels.append(255)
            }
        }
        return pixels
    }

    private static func clamped(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(value, 0), 255)) }
}
