package import Raster

/// The arithmetic of 8-bit blurs in plain Swift, for processors without vector kernels, and the reference that the
/// kernels match bit for bit.
///
/// Blurred values have 16 bits with 6 after the point, 0 to 16320; weights have 15 bits after the point. Each product
/// is rounded.
package enum ScalarBlur {
    /// A byte of 255 as a blurred value.
    package static let one = 255 << 6

    @inline(__always) private static func product(_ value: Int16, _ weight: Int16) -> Int16 {
        Int16(truncatingIfNeeded: (Int32(value) &* Int32(weight) &+ 16384) >> 15)
    }

    /// Sums 2 × `reach` + 1 rows of bytes: the middle one times the first weight, and each pair at equal distance,
    /// added, times that distance's weight. It does so `sums` times, each `step` rows further down, into targets
    /// `stride` values apart.
    package static func blurBytes(
        _ rows: UnsafePointer<UnsafeRawPointer>, step: Int, _ weights: UnsafePointer<Int16>, reach: Int,
        to target: UnsafeMutablePointer<Int16>, stride: Int, sums: Int, count: Int
    ) {
        for index in 0..<sums {
            let (rows, target) = (rows + index * step, target + index * stride)
            for x in 0..<count {
                var sum = product(Int16(rows[reach].load(fromByteOffset: x, as: UInt8.self)) &<< 6, weights[0])
                for distance in 0..<reach {
                    let a = rows[reach - 1 - distance].load(fromByteOffset: x, as: UInt8.self)
                    let b = rows[reach + 1 + distance].load(fromByteOffset: x, as: UInt8.self)
                    sum &+= product((Int16(a) &+ Int16(b)) &<< 6, weights[1 + distance])
                }
                target[x] = sum
            }
        }
    }

    /// Sums rows of blurred values in the same way, once.
    package static func blur(
        _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Int16>, reach: Int,
        to target: UnsafeMutablePointer<Int16>, count: Int
    ) {
        for x in 0..<count {
            var sum = product(rows[reach].assumingMemoryBound(to: Int16.self)[x], weights[0])
            for distance in 0..<reach {
                let a = rows[reach - 1 - distance].assumingMemoryBound(to: Int16.self)[x]
                let b = rows[reach + 1 + distance].assumingMemoryBound(to: Int16.self)[x]
                sum &+= product(a &+ b, weights[1 + distance])
            }
            target[x] = sum
        }
    }

    /// Sums four rows of blurred values, each by a weight.
    package static func sum(
        _ rows: UnsafePointer<UnsafePointer<Int16>>, _ weights: UnsafePointer<Int16>,
        to target: UnsafeMutablePointer<Int16>, count: Int
    ) {
        for x in 0..<count {
            var sum: Int16 = 0
            for tap in 0..<4 { sum &+= product(rows[tap][x], weights[tap]) }
            target[x] = sum
        }
    }

    /// Rounds to bytes. With `limitsToAlpha`, each four values are a pixel, and no colour exceeds its alpha.
    package static func round(
        _ values: UnsafePointer<Int16>, to target: UnsafeMutablePointer<UInt8>, count: Int, limitsToAlpha: Bool
    ) {
        for x in 0..<count { target[x] = byte(values[x]) }
        guard limitsToAlpha else { return }
        for x in 0..<count { target[x] = min(target[x], target[x | 3]) }
    }

    @inline(__always) private static func byte(_ value: Int16) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, (Int32(value) &+ 32) >> 6)))
    }

    /// Sums four neighbours along a row for each of `spacing` pixels between the second and the third, for `count` runs
    /// of four. `weights` has a list for each neighbour, `stride` apart.
    package static func enlarge(
        _ row: UnsafePointer<Int16>, _ weights: UnsafePointer<Int16>, stride: Int, spacing: Int, channels: Int,
        to target: UnsafeMutablePointer<Int16>, count: Int
    ) {
        for run in 0..<count {
            for x in 0..<spacing * channels {
                var sum: Int16 = 0
                for tap in 0..<4 {
                    sum &+= product(row[(run + tap) * channels + x % channels], weights[tap * stride + x])
                }
                target[run * spacing * channels + x] = sum
            }
        }
    }

    /// Splits a row into `step` lists of every `step`th pixel, starting from the first, the second and so on, `count`
    /// pixels each.
    package static func part(
        _ row: UnsafePointer<Int16>, step: Int, channels: Int, to target: UnsafeMutablePointer<Int16>, stride: Int,
        count: Int
    ) {
        for part in 0..<step {
            for x in 0..<count * channels {
                target[part * stride + x] = row[(x / channels * step + part) * channels + x % channels]
            }
        }
    }

    /// Adds to each colour `amount` times its difference from the blurred colour at the pixel's own alpha, limited to
    /// 0…alpha. With `isOpaque`, all alphas are 255.
    package static func sharpen(
        _ source: Span<RGBA8>, _ blurred: UnsafePointer<Int16>, amount: Float, isOpaque: Bool,
        to target: inout MutableSpan<RGBA8>
    ) {
        for x in source.indices {
            let pixel = source[x]
            let alpha = Float(pixel.alpha)
            let blur = blurred + 4 * x
            let scale = isOpaque || blur[3] == 0 ? 1 / 64 : alpha / Float(blur[3])
            func sharp(_ value: UInt8, _ blurred: Int16) -> UInt8 {
                let value = Float(value)
                let result = value + (value - Float(blurred) * scale) * amount
                return UInt8(truncatingIfNeeded: Int32(max(0, min(alpha, result)) + 0.5))
            }
            target[x] = RGBA8(
                sharp(pixel.red, blur[0]), sharp(pixel.green, blur[1]), sharp(pixel.blue, blur[2]), pixel.alpha)
        }
    }

    /// Copies the pixels' alphas.
    package static func extractAlpha(_ pixels: Span<RGBA8>, to target: inout MutableSpan<Gray8>) {
        for x in pixels.indices { target[x] = Gray8(pixels[x].alpha) }
    }

    /// Draws a shadow: each blurred alpha times the shadow's colour, four values with 15 bits after the point, below
    /// the premultiplied `pixels` unless they are nil.
    package static func drawShadow(
        _ alphas: UnsafePointer<Int16>, ink: SIMD4<Int16>, under pixels: UnsafePointer<RGBA8>?,
        to target: UnsafeMutablePointer<RGBA8>, count: Int
    ) {
        for x in 0..<count {
            let pixel = pixels?[x] ?? RGBA8(0, 0, 0, 0)
            let rest = 255 - Int16(pixel.alpha)
            let factor = rest &<< 7 &+ rest &>> 1
            func channel(_ value: UInt8, _ ink: Int16) -> UInt8 {
                let shadow = product(alphas[x], ink)
                return byte(Int16(value) &<< 6 &+ (pixels == nil ? shadow : product(shadow, factor)))
            }
            let alpha = channel(pixel.alpha, ink.w)
            target[x] =
                pixel.alpha == 255
                ? pixel
                : RGBA8(
                    min(alpha, channel(pixel.red, ink.x)), min(alpha, channel(pixel.green, ink.y)),
                    min(alpha, channel(pixel.blue, ink.z)), alpha)
        }
    }
}
