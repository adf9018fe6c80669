internal import Platform

/// Rows as floating point numbers with premultiplied colours, and back.
///
/// Stored values keep their scale, 0…255 or 0…65535; linear light and its alpha are 0…1.
package enum FloatRows {
    /// Fills `target` with the pixels in `columns` (nil: all) of row `y`. Grey has no alpha.
    package static func fill(
        _ target: UnsafeMutablePointer<Float>, from rows: PixelRows, _ y: Int, columns: Range<Int>? = nil,
        alpha: AlphaMode, isLinear: Bool
    ) {
        let columns = columns ?? 0..<rows.width
        switch rows.format {
        case .gray8: fill(target, from: rows.row(y, as: Gray8.self).extracting(columns), isLinear: isLinear)
        case .gray16: fill(target, from: rows.row(y, as: Gray16.self).extracting(columns), isLinear: isLinear)
        case .rgba8:
            fill(target, from: rows.row(y, as: RGBA8.self).extracting(columns), alpha: alpha, isLinear: isLinear)
        case .rgba16:
            fill(target, from: rows.row(y, as: RGBA16.self).extracting(columns), alpha: alpha, isLinear: isLinear)
        }
    }

    private static func fill(_ target: UnsafeMutablePointer<Float>, from row: Span<Gray8>, isLinear: Bool) {
        if isLinear {
            let table = TransferCurve.light
            let light = table.span
            for x in row.indices { target[x] = light[Int(row[x].value) &* 257] }
        } else {
            for x in row.indices { target[x] = Float(row[x].value) }
        }
    }

    private static func fill(_ target: UnsafeMutablePointer<Float>, from row: Span<Gray16>, isLinear: Bool) {
        if isLinear {
            let table = TransferCurve.light
            let light = table.span
            for x in row.indices { target[x] = light[Int(row[x].value)] }
        } else {
            for x in row.indices { target[x] = Float(row[x].value) }
        }
    }

    private static func fill(
        _ target: UnsafeMutablePointer<Float>, from row: Span<RGBA8>, alpha: AlphaMode, isLinear: Bool
    ) {
        let light = isLinear ? TransferCurve.light : []
        for x in row.indices {
            let p = row[x]
            let pixel = SIMD4<Float>(Float(p.red), Float(p.green), Float(p.blue), Float(p.alpha))
            store(value(pixel, largest: 255, alpha: alpha, light: light.span), to: target + 4 * x)
        }
    }

    private static func fill(
        _ target: UnsafeMutablePointer<Float>, from row: Span<RGBA16>, alpha: AlphaMode, isLinear: Bool
    ) {
        if !isLinear, alpha != .straight {
            for x in row.indices { store(values(of: row[x]), to: target + 4 * x) }
            return
        }
        let light = isLinear ? TransferCurve.light : []
        for x in row.indices {
            store(value(values(of: row[x]), largest: 65535, alpha: alpha, light: light.span), to: target + 4 * x)
        }
    }

    @inline(__always) private static func values(of pixel: RGBA16) -> SIMD4<Float> {
        SIMD4(Float(pixel.red), Float(pixel.green), Float(pixel.blue), Float(pixel.alpha))
    }

    @inline(__always) private static func store(_ value: SIMD4<Float>, to target: UnsafeMutablePointer<Float>) {
        UnsafeMutableRawPointer(target).storeBytes(of: value, as: SIMD4<Float>.self)
    }

    /// A pixel as it is summed: `light` is empty for stored values.
    @inline(__always) private static func value(
        _ pixel: SIMD4<Float>, largest: Float, alpha: AlphaMode, light: Span<Float>
    ) -> SIMD4<Float> {
        let a = pixel.w / largest
        if light.isEmpty {
            guard alpha == .straight else { return pixel }
            var product = pixel * a
            product.w = pixel.w
            return product
        }
        // The curve applies to straight colours.
        let scale = alpha == .premultiplied ? (pixel.w > 0 ? 65535 / pixel.w : 0) : 65535 / largest
        let index = whole(limited(pixel * scale, SIMD4(repeating: 65535)))
        let colors = SIMD4(light[Int(index.x)], light[Int(index.y)], light[Int(index.z)], 1)
        return colors * (alpha == .none ? 1 : a)
    }

    fileprivate static func finish(_ values: UnsafePointer<Float>, to row: inout MutableSpan<Gray8>, isLinear: Bool) {
        let bytes = isLinear ? TransferCurve.bytes : []
        let curve = bytes.span
        for x in row.indices {
            row[x] = Gray8(
                isLinear ? curve[Int(limited(values[x] * 65535, 65535))] : UInt8(limited(values[x], 255)))
        }
    }

    fileprivate static func finish(_ values: UnsafePointer<Float>, to row: inout MutableSpan<Gray16>, isLinear: Bool) {
        for x in row.indices {
            row[x] = Gray16(
                isLinear
                    ? UInt16(limited(Float(TransferCurve.stored(light: Double(values[x]))) * 65535, 65535))
                    : UInt16(limited(values[x], 65535)))
        }
    }

    fileprivate static func finish(
        _ values: UnsafePointer<Float>, to row: inout MutableSpan<RGBA8>, alpha: AlphaMode, isLinear: Bool
    ) {
        let bytes = isLinear ? TransferCurve.bytes : []
        let curve = bytes.span
        for x in row.indices {
            let p = SIMD4<Float>(values[4 * x], values[4 * x + 1], values[4 * x + 2], values[4 * x + 3])
            let stored = stored(p, largest: 255, alpha: alpha, isLinear: isLinear) { light in
                let index = whole(light * 65535)
                return SIMD4(
                    Float(curve[Int(index.x)]), Float(curve[Int(index.y)]), Float(curve[Int(index.z)]), 255)
            }
            row[x] = RGBA8(
                UInt8(truncatingIfNeeded: stored.x), UInt8(truncatingIfNeeded: stored.y),
                UInt8(truncatingIfNeeded: stored.z), UInt8(truncatingIfNeeded: stored.w))
        }
    }

    fileprivate static func finish(
        _ values: UnsafePointer<Float>, to row: inout MutableSpan<RGBA16>, alpha: AlphaMode, isLinear: Bool
    ) {
        for x in row.indices {
            let p = SIMD4<Float>(values[4 * x], values[4 * x + 1], values[4 * x + 2], values[4 * x + 3])
            let stored = stored(p, largest: 65535, alpha: alpha, isLinear: isLinear) { light in
                func curve(_ light: Float) -> Float { Float(TransferCurve.stored(light: Double(light)) * 65535) }
                return SIMD4(curve(light.x), curve(light.y), curve(light.z), 65535)
            }
            row[x] = RGBA16(
                UInt16(truncatingIfNeeded: stored.x), UInt16(truncatingIfNeeded: stored.y),
                UInt16(truncatingIfNeeded: stored.z), UInt16(truncatingIfNeeded: stored.w))
        }
    }

    /// A summed pixel as integers up to `largest`; `curve` converts linear light to stored values.
    @inline(__always) private static func stored(
        _ p: SIMD4<Float>, largest: Float, alpha: AlphaMode, isLinear: Bool, curve: (SIMD4<Float>) -> SIMD4<Float>
    ) -> SIMD4<UInt32> {
        let full = SIMD4(repeating: largest)
        if alpha == .none {
            var result = whole(limited(isLinear ? curve(limited(p, SIMD4(repeating: 1))) : p, full))
            result.w = UInt32(largest)
            return result
        }
        let a = max(0, min(p.w, isLinear ? 1 : largest))
        let storedAlpha = isLinear ? a * largest : a
        guard storedAlpha >= 0.5 else { return .zero }
        var colors: SIMD4<Float>
        if isLinear {
            colors = curve(limited(p / a, SIMD4(repeating: 1)))
            if alpha == .premultiplied { colors *= a }
        } else {
            colors = alpha == .straight ? p * (largest / a) : p
        }
        // No premultiplied colour exceeds its alpha.
        var result = whole(limited(colors, alpha == .premultiplied ? SIMD4(repeating: storedAlpha) : full))
        result.w = UInt32(storedAlpha + 0.5)
        if alpha == .premultiplied { result.replace(with: result.w, where: result .> result.w) }
        return result
    }

    /// Clamped to 0…`largest`, lane by lane.
    @inline(__always) private static func limited(_ value: SIMD4<Float>, _ largest: SIMD4<Float>) -> SIMD4<Float> {
        let positive = value.replacing(with: 0, where: value .< 0)
        return positive.replacing(with: largest, where: positive .> largest)
    }

    /// Rounds numbers from 0 to 65535: added to 2²³, no bit is left for a fraction.
    @inline(__always) private static func whole(_ value: SIMD4<Float>) -> SIMD4<UInt32> {
        // Four numbers of 32 bits each way.
        unsafeBitCast(value + 8_388_608, to: SIMD4<UInt32>.self) & 0x7F_FFFF
    }

    /// Rounded, and clamped to 0…`largest`.
    @inline(__always) private static func limited(_ value: Float, _ largest: Float) -> Float {
        let whole = Int32(max(0, min(value, largest)) + 0.5)
        return Float(whole)
    }
}

extension MutablePixelRows {
    /// Makes pixels of row `y` from `values`, in the form of `FloatRows`. Grey has no alpha.
    package mutating func finish(_ values: UnsafePointer<Float>, to y: Int, alpha: AlphaMode, isLinear: Bool) {
        switch format {
        case .gray8:
            var row = row(y, as: Gray8.self)
            FloatRows.finish(values, to: &row, isLinear: isLinear)
        case .gray16:
            var row = row(y, as: Gray16.self)
            FloatRows.finish(values, to: &row, isLinear: isLinear)
        case .rgba8:
            var row = row(y, as: RGBA8.self)
            FloatRows.finish(values, to: &row, alpha: alpha, isLinear: isLinear)
        case .rgba16:
            var row = row(y, as: RGBA16.self)
            FloatRows.finish(values, to: &row, alpha: alpha, isLinear: isLinear)
        }
    }
}

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

/// The transfer curve of sRGB (IEC 61966-2-1), between stored values and linear light, both 0…1.
package enum TransferCurve {
    /// Linear light for each stored value of 16 bits.
    static let light: [Float] = (0...65535).map { Float(light(stored: Double($0) / 65535)) }

    /// The stored byte for each 16-bit value of linear light: 20 steps to a byte where the curve is steepest.
    static let bytes: [UInt8] = (0...65535).map { UInt8((stored(light: Double($0) / 65535) * 255).rounded()) }

    /// The linear light of a stored value.
    package static func light(stored value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// The stored value of linear light.
    package static func stored(light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}
