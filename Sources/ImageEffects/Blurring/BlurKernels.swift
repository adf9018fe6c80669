#if arch(x86_64) || arch(arm64)
internal import CTesseraKernels
#endif
package import Raster

/// The sums of 8-bit blurs, by the fastest path for this processor. All paths give identical results.
///
/// Rows and targets have room for whole blocks of 64 bytes.
package enum BlurKernels {
    /// As `ScalarBlur.blurBytes`.
    package static func blurBytes(
        _ rows: UnsafePointer<UnsafeRawPointer>, step: Int, _ weights: UnsafePointer<Int16>, reach: Int,
        to target: UnsafeMutablePointer<Int16>, stride: Int, sums: Int, count: Int
    ) {
        #if arch(x86_64) || arch(arm64)
        tessera_blur_rows_bytes(rows, step, weights, reach, target, stride, sums, count)
        #else
        ScalarBlur.blurBytes(
            rows, step: step, weights, reach: reach, to: target, stride: stride, sums: sums, count: count)
        #endif
    }

    /// As `ScalarBlur.blur`.
    package static func blur(
        _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Int16>, reach: Int,
        to target: UnsafeMutablePointer<Int16>, count: Int
    ) {
        #if arch(x86_64) || arch(arm64)
        tessera_blur_rows_wide(rows, weights, reach, target, count)
        #else
        ScalarBlur.blur(rows, weights, reach: reach, to: target, count: count)
        #endif
    }

    /// As `ScalarBlur.sum`.
    package static func sum(
        _ rows: UnsafePointer<UnsafePointer<Int16>>, _ weights: UnsafePointer<Int16>,
        to target: UnsafeMutablePointer<Int16>, count: Int
    ) {
        #if arch(x86_64) || arch(arm64)
        tessera_sum_four_rows(rows[0], rows[1], rows[2], rows[3], weights, target, count)
        #else
        ScalarBlur.sum(rows, weights, to: target, count: count)
        #endif
    }

    /// As `ScalarBlur.sum`, then `ScalarBlur.round`; writes exactly `count` bytes.
    package static func sumToBytes(
        _ rows: UnsafePointer<UnsafePointer<Int16>>, _ weights: UnsafePointer<Int16>,
        to target: UnsafeMutablePointer<UInt8>, count: Int, limitsToAlpha: Bool
    ) {
        #if arch(x86_64) || arch(arm64)
        tessera_sum_four_rows_to_bytes(
            rows[0], rows[1], rows[2], rows[3], weights, target, count, limitsToAlpha ? 1 : 0)
        #else
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: count) { values in
            // Room for count values.
            ScalarBlur.sum(rows, weights, to: values.baseAddress!, count: count)
            ScalarBlur.round(values.baseAddress!, to: target, count: count, limitsToAlpha: limitsToAlpha)
        }
        #endif
    }

    /// As `ScalarBlur.round`.
    package static func round(
        _ values: UnsafePointer<Int16>, to target: UnsafeMutablePointer<UInt8>, count: Int, limitsToAlpha: Bool
    ) {
        #if arch(x86_64) || arch(arm64)
        tessera_round_to_bytes(values, target, count, limitsToAlpha ? 1 : 0)
        #else
        ScalarBlur.round(values, to: target, count: count, limitsToAlpha: limitsToAlpha)
        #endif
    }

    /// As `ScalarBlur.enlarge`; writes up to 15 values beyond the last.
    package static func enlarge(
        _ row: UnsafePointer<Int16>, _ weights: UnsafePointer<Int16>, stride: Int, spacing: Int, channels: Int,
        to target: UnsafeMutablePointer<Int16>, count: Int
    ) {
        #if arch(x86_64) || arch(arm64)
        tessera_enlarge_row(row, weights, stride, spacing, channels, target, count)
        #else
        ScalarBlur.enlarge(
            row, weights, stride: stride, spacing: spacing, channels: channels, to: target, count: count)
        #endif
    }

    /// As `ScalarBlur.part`.
    package static func part(
        _ row: UnsafePointer<Int16>, step: Int, channels: Int, to target: UnsafeMutablePointer<Int16>, stride: Int,
        count: Int
    ) {
        #if arch(x86_64) || arch(arm64)
        tessera_part_row(row, step, channels, target, stride, count)
        #else
        ScalarBlur.part(row, step: step, channels: channels, to: target, stride: stride, count: count)
        #endif
    }

    /// As `ScalarBlur.sharpen`.
    package static func sharpen(
        _ source: Span<RGBA8>, _ blurred: UnsafePointer<Int16>, amount: Float, isOpaque: Bool,
        to target: inout MutableSpan<RGBA8>
    ) {
        #if arch(x86_64) || arch(arm64)
        precondition(target.count == source.count)
        target.withUnsafeMutableBytes { bytes in
            source.withUnsafeBytes { source in
                // Both have four bytes for each pixel, and there is a blurred value for each.
                tessera_sharpen(
                    source.baseAddress!.assumingMemoryBound(to: UInt8.self), blurred, amount, isOpaque ? 1 : 0,
                    bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.count / 4)
            }
        }
        #else
        ScalarBlur.sharpen(source, blurred, amount: amount, isOpaque: isOpaque, to: &target)
        #endif
    }

    /// As `ScalarBlur.extractAlpha`.
    package static func extractAlpha(_ pixels: Span<RGBA8>, to target: inout MutableSpan<Gray8>) {
        #if arch(x86_64) || arch(arm64)
        precondition(target.count == pixels.count)
        target.withUnsafeMutableBytes { bytes in
            pixels.withUnsafeBytes { pixels in
                // Both have a byte for each pixel.
                tessera_extract_alpha(
                    pixels.baseAddress!.assumingMemoryBound(to: UInt8.self),
                    bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.count)
            }
        }
        #else
        ScalarBlur.extractAlpha(pixels, to: &target)
        #endif
    }

    /// As `ScalarBlur.drawShadow`.
    package static func drawShadow(
        _ alphas: UnsafePointer<Int16>, ink: SIMD4<Int16>, under pixels: UnsafePointer<RGBA8>?,
        to target: UnsafeMutablePointer<RGBA8>, count: Int
    ) {
        #if arch(x86_64) || arch(arm64)
        withUnsafeBytes(of: ink) { ink in
            // The colour has four values, and a pixel four bytes.
            let ink = ink.baseAddress!.assumingMemoryBound(to: Int16.self)
            let bytes = UnsafeMutableRawPointer(target).assumingMemoryBound(to: UInt8.self)
            if let pixels {
                tessera_draw_over_shadow(
                    UnsafeRawPointer(pixels).assumingMemoryBound(to: UInt8.self), alphas, ink, bytes, count)
            } else {
                tessera_draw_shadow(alphas, ink, bytes, count)
            }
        }
        #else
        ScalarBlur.drawShadow(alphas, ink: ink, under: pixels, to: target, count: count)
        #endif
    }
}
