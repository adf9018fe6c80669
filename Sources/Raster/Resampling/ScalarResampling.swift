/// The resampler's sums over 8-bit images in plain Swift: they run on processors without vector kernels, and the
/// kernels are tested against them, bit by bit.
///
/// Between the two directions values are signed 16-bit numbers: 64 stands for 1, so that overshoot survives.
package enum ScalarResampling {
    /// Bits after the point between the two directions.
    package static let fractionBits = 6

    /// Sums `taps` rows of bytes. `shift` is at least 6 and at most 22.
    package static func vertical(
        _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Int16>, taps: Int, shift: Int,
        to target: UnsafeMutablePointer<Int16>, count: Int
    ) {
        let down = Int32(shift - fractionBits)
        let half = down > 0 ? Int32(1) << (down - 1) : 0
        for x in 0..<count {
            var sum = half
            for tap in 0..<taps {
                sum &+= Int32(weights[tap]) &* Int32(rows[tap].assumingMemoryBound(to: UInt8.self)[x])
            }
            target[x] = Int16(clamping: sum >> down)
        }
    }

    /// Sums `taps` rows of 16-bit values. `shift` is at most 16.
    package static func verticalWide(
        _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Int16>, taps: Int, shift: Int,
        to target: UnsafeMutablePointer<Int16>, count: Int
    ) {
        let half = shift > 0 ? Int32(1) << Int32(shift - 1) : 0
        for x in 0..<count {
            var sum = half
            for tap in 0..<taps {
                sum &+= Int32(weights[tap]) &* Int32(rows[tap].assumingMemoryBound(to: Int16.self)[x])
            }
            target[x] = Int16(clamping: sum >> Int32(shift))
        }
    }

    /// Sums pixels of `channels` values along a row, `shift` at most 16, and keeps the 6 bits after the point.
    package static func horizontal(
        _ row: UnsafePointer<Int16>, channels: Int, _ weights: FixedWeights, to target: UnsafeMutablePointer<Int16>
    ) {
        let shift = Int32(weights.shift)
        let half = shift > 0 ? Int32(1) << (shift - 1) : 0
        for x in weights.firsts.indices {
            let (first, offset) = (Int(weights.firsts[x]) * channels, Int(weights.offsets[x]))
            for channel in 0..<channels {
                var sum = half
                for tap in 0..<Int(weights.counts[x]) {
                    sum &+= Int32(weights.values[offset + tap]) &* Int32(row[first + tap * channels + channel])
                }
                target[x * channels + channel] = Int16(clamping: sum >> shift)
            }
        }
    }
}
