#if arch(x86_64) || arch(arm64)
internal import CTesseraKernels
#endif

/// The sums over 8-bit images, by the fastest path of this processor. Every path gives the same results.
package enum ResamplingKernels {
    /// Whether AVX2 may be used: for tests, which run all paths.
    package static func allowWidestVectors(_ allowed: Bool) {
        #if arch(x86_64)
        tessera_allow_avx2(allowed ? 1 : 0)
        #endif
    }

    /// Sums rows of bytes, or of 16-bit values where `isWide`: `taps` of them, an even number.
    ///
    /// Rows and `target` have room for whole blocks of 64 values.
    package static func vertical(
        _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Int16>, taps: Int, shift: Int, isWide: Bool,
        to target: UnsafeMutablePointer<Int16>, count: Int
    ) {
        #if arch(x86_64) || arch(arm64)
        if isWide {
            tessera_sum_rows_wide(rows, weights, taps, Int32(shift), target, count)
        } else {
            tessera_sum_rows_bytes(rows, weights, taps, Int32(shift), target, count)
        }
        #else
        if isWide {
            ScalarResampling.verticalWide(rows, weights, taps: taps, shift: shift, to: target, count: count)
        } else {
            ScalarResampling.vertical(rows, weights, taps: taps, shift: shift, to: target, count: count)
        }
        #endif
    }

    /// Sums pixels of `channels` values, 1 or 4, along a row that has room for the longest run after its end.
    package static func horizontal(
        _ row: UnsafePointer<Int16>, channels: Int, _ weights: FixedWeights, to target: UnsafeMutablePointer<Int16>
    ) {
        #if arch(x86_64) || arch(arm64)
        let (firsts, counts, offsets) = (weights.firsts, weights.counts, weights.offsets)
        weights.values.withUnsafeBufferPointer { values in
            // No table is empty: there is a weight for every new pixel, and at least one of those.
            (channels == 4 ? tessera_sum_pixels : tessera_sum_values)(
                row, firsts, counts, offsets, values.baseAddress!, Int32(weights.shift), target, firsts.count)
        }
        #else
        ScalarResampling.horizontal(row, channels: channels, weights, to: target)
        #endif
    }
}
