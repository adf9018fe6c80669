/// The resampler's sums over floating point rows.
enum FloatResampling {
    /// Sums rows, each `count` values, a multiple of 16.
    static func vertical(
        _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: Span<Float>, to target: UnsafeMutableRawPointer, count: Int
    ) {
        typealias Block = SIMD16<Float>
        for offset in stride(from: 0, to: count * 4, by: 64) {
            // Rows and target start at multiples of 64 bytes and have room for whole blocks.
            var sum = Block.zero
            for tap in weights.indices { sum += rows[tap].load(fromByteOffset: offset, as: Block.self) * weights[tap] }
            target.storeBytes(of: sum, toByteOffset: offset, as: Block.self)
        }
    }

    /// Sums single values along a row.
    static func horizontalGray(
        _ row: UnsafePointer<Float>, _ weights: FloatWeights, to target: UnsafeMutablePointer<Float>
    ) {
        let (firsts, offsets, values) = (weights.firsts.span, weights.offsets.span, weights.values.span)
        for x in firsts.indices {
            let source = row + Int(firsts[x])
            let start = Int(offsets[x])
            var sum: Float = 0
            for tap in 0..<(Int(offsets[x + 1]) - start) { sum += source[tap] * values[start + tap] }
            target[x] = sum
        }
    }

    /// Sums pixels of four values along a row.
    static func horizontalRGBA(
        _ row: UnsafeRawPointer, _ weights: FloatWeights, to target: UnsafeMutableRawPointer
    ) {
        let (firsts, offsets, values) = (weights.firsts.span, weights.offsets.span, weights.values.span)
        for x in firsts.indices {
            let source = row + Int(firsts[x]) * 16
            let start = Int(offsets[x])
            var sum = SIMD4<Float>.zero
            for tap in 0..<(Int(offsets[x + 1]) - start) {
                sum += source.load(fromByteOffset: tap * 16, as: SIMD4<Float>.self) * values[start + tap]
            }
            target.storeBytes(of: sum, toByteOffset: x * 16, as: SIMD4<Float>.self)
        }
    }
}
