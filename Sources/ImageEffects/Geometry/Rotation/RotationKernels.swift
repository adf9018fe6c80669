#if arch(x86_64) || arch(arm64)
internal import CTesseraKernels
#endif
internal import Raster

/// The sums of rotated 8-bit pixels, by the fastest path for this processor. All paths give identical results.
package enum RotationKernels {
    /// As `ScalarRotation.sum`.
    package static func sum(
        _ source: UnsafeRawPointer, bytesPerRow: Int, x: Int, y: Int, stepX: Int, stepY: Int,
        _ weights: UnsafePointer<Int16>, to target: UnsafeMutableRawPointer, count: Int
    ) {
        #if arch(x86_64) || arch(arm64)
        tessera_turn_pixels(
            source, bytesPerRow, Int64(x), Int64(y), Int64(stepX), Int64(stepY), weights, target, count)
        #else
        ScalarRotation.sum(
            source, bytesPerRow: bytesPerRow, x: x, y: y, stepX: stepX, stepY: stepY, weights, to: target, count: count)
        #endif
    }
}

/// The sums of rotated 8-bit pixels in plain Swift: for the image's edges, for processors without vector kernels, and
/// as the reference that the kernels match bit for bit.
package enum ScalarRotation {
    /// Sums `count` pixels, the first around (`x`, `y`), each next one a step further. All sixteen neighbours of each
    /// must be inside the image. Places have 32 bits after the point and half a phase added.
    package static func sum(
        _ source: UnsafeRawPointer, bytesPerRow: Int, x: Int, y: Int, stepX: Int, stepY: Int,
        _ weights: UnsafePointer<Int16>, to target: UnsafeMutableRawPointer, count: Int
    ) {
        var (x, y) = (x, y)
        for index in 0..<count {
            let first = source + ((y >> 32) - 1) * bytesPerRow + ((x >> 32) - 1) * 4
            let (across, down) = (weights + phase(x), weights + phase(y))
            var sum = SIMD4<Int16>.zero
            for column in 0..<4 {
                var values = SIMD4<Int16>.zero
                for row in 0..<4 {
                    // The caller guarantees that these are pixels of the image.
                    let pixel = first.loadUnaligned(
                        fromByteOffset: row * bytesPerRow + 4 * column, as: SIMD4<UInt8>.self)
                    values &+= product(SIMD4(truncatingIfNeeded: pixel) &<< 7, down[2 * row])
                }
                sum &+= product(values, across[2 * column])
            }
            let pixel = SIMD4<UInt8>(clamping: (sum &+ 16) &>> 5)
            target.storeBytes(of: pixel.limitedToAlpha, toByteOffset: 4 * index, as: SIMD4<UInt8>.self)
            x &+= stepX
            y &+= stepY
        }
    }

    /// A pixel near the image's edge; the nearest pixels stand in for those beyond.
    static func edge(
        _ rows: borrowing PixelRows, x: Int, y: Int, _ weights: Span<Int16>, coverage: Int
    ) -> RGBA8 {
        let (across, down) = (phase(x), phase(y))
        var sum = SIMD4<Int16>.zero
        var columns = (SIMD4<Int16>.zero, SIMD4<Int16>.zero, SIMD4<Int16>.zero, SIMD4<Int16>.zero)
        for index in 0..<4 {
            let row = rows.row(min(max(0, (y >> 32) - 1 + index), rows.count - 1), as: RGBA8.self)
            let weight = weights[down + 2 * index]
            func value(_ column: Int) -> SIMD4<Int16> {
                let pixel = row[min(max(0, (x >> 32) - 1 + column), row.count - 1)]
                let wide = SIMD4(Int16(pixel.red), Int16(pixel.green), Int16(pixel.blue), Int16(pixel.alpha))
                return product(wide &<< 7, weight)
            }
            columns.0 &+= value(0)
            columns.1 &+= value(1)
            columns.2 &+= value(2)
            columns.3 &+= value(3)
        }
        sum &+= product(columns.0, weights[across]) &+ product(columns.1, weights[across + 2])
        sum &+= product(columns.2, weights[across + 4]) &+ product(columns.3, weights[across + 6])
        let alpha = max(0, min(255 << 5, Int(sum.w)))
        func covered(_ value: Int16) -> UInt8 {
            let one = Rotation.fullCoverage << 5
            return UInt8(truncatingIfNeeded: (max(0, min(alpha, Int(value))) * coverage + one / 2) / one)
        }
        return RGBA8(covered(sum.x), covered(sum.y), covered(sum.z), covered(sum.w))
    }

    /// The index of a place's weights.
    @inline(__always) private static func phase(_ place: Int) -> Int {
        8 * ((place >> (Rotation.fractionBits - RotationWeights.phaseBits)) & ((1 << RotationWeights.phaseBits) - 1))
    }

    /// a × b / 32768, rounded half up.
    @inline(__always) private static func product(_ a: SIMD4<Int16>, _ b: Int16) -> SIMD4<Int16> {
        let wide = SIMD4<Int32>(truncatingIfNeeded: a) &* Int32(b)
        return SIMD4<Int16>(truncatingIfNeeded: (wide &+ 16384) &>> 15)
    }
}

extension SIMD4<UInt8> {
    /// The pixel with no colour above its alpha.
    fileprivate var limitedToAlpha: SIMD4<UInt8> { pointwiseMin(self, SIMD4(repeating: w)) }
}
