/// Rows as floating point numbers, colours multiplied by alpha, and back.
///
/// Stored values keep their scale, 0…255 or 0…65535; light is 0…1, alpha beside it as well.
package enum FloatRows {
    package static func fill(_ target: UnsafeMutablePointer<Float>, from row: Span<Gray8>, isLinear: Bool) {
        if isLinear {
            let table = TransferCurve.light
            let light = table.span
            for x in row.indices { target[x] = light[Int(row[x].value) &* 257] }
        } else {
            for x in row.indices { target[x] = Float(row[x].value) }
        }
    }

    package static func fill(_ target: UnsafeMutablePointer<Float>, from row: Span<Gray16>, isLinear: Bool) {
        if isLinear {
            let table = TransferCurve.light
            let light = table.span
            for x in row.indices { target[x] = light[Int(row[x].value)] }
        } else {
            for x in row.indices { target[x] = Float(row[x].value) }
        }
    }

    package static func fill(
        _ target: UnsafeMutablePointer<Float>, from row: Span<RGBA8>, alpha: AlphaMode, isLinear: Bool
    ) {
        let light = isLinear ? TransferCurve.light : []
        for x in row.indices {
            let p = row[x]
            let pixel = SIMD4<Float>(Float(p.red), Float(p.green), Float(p.blue), Float(p.alpha))
            store(value(pixel, largest: 255, alpha: alpha, light: light.span), to: target + 4 * x)
        }
    }

    package static func fill(
        _ target: UnsafeMutablePointer<Float>, from row: Span<RGBA16>, alpha: AlphaMode, isLinear: Bool
    ) {
        let light = isLinear ? TransferCurve.light : []
        for x in row.indices {
            let p = row[x]
            let pixel = SIMD4<Float>(Float(p.red), Float(p.green), Float(p.blue), Float(p.alpha))
            store(value(pixel, largest: 65535, alpha: alpha, light: light.span), to: target + 4 * x)
        }
    }

    @inline(__always) private static func store(_ value: SIMD4<Float>, to target: UnsafeMutablePointer<Float>) {
        (target[0], target[1], target[2], target[3]) = (value[0], value[1], value[2], value[3])
    }

    /// A pixel as it is summed: `light` is empty for stored values.
    @inline(__always) private static func value(
        _ pixel: SIMD4<Float>, largest: Float, alpha: AlphaMode, light: Span<Float>
    ) -> SIMD4<Float> {
        var pixel = pixel
        let a = pixel.w / largest
        if light.isEmpty {
            if alpha == .straight {
                pixel *= a
                pixel.w = a * largest
            }
            return pixel
        }
        // The curve applies to straight colours.
        let scale = alpha == .premultiplied ? (pixel.w > 0 ? 65535 / pixel.w : 0) : 65535 / largest
        for channel in 0..<3 {
            let index = Int(min(65535, pixel[channel] * scale + 0.5))
            pixel[channel] = light[index] * (alpha == .none ? 1 : a)
        }
        pixel.w = a
        return pixel
    }

    package static func finish(_ values: UnsafePointer<Float>, to row: inout MutableSpan<Gray8>, isLinear: Bool) {
        let bytes = isLinear ? TransferCurve.bytes : []
        let curve = bytes.span
        for x in row.indices {
            row[x] = Gray8(
                isLinear ? curve[Int(limited(values[x] * 65535, 65535))] : UInt8(limited(values[x], 255)))
        }
    }

    package static func finish(_ values: UnsafePointer<Float>, to row: inout MutableSpan<Gray16>, isLinear: Bool) {
        for x in row.indices {
            row[x] = Gray16(
                isLinear
                    ? UInt16(limited(Float(TransferCurve.stored(light: Double(values[x]))) * 65535, 65535))
                    : UInt16(limited(values[x], 65535)))
        }
    }

    package static func finish(
        _ values: UnsafePointer<Float>, to row: inout MutableSpan<RGBA8>, alpha: AlphaMode, isLinear: Bool
    ) {
        let bytes = isLinear ? TransferCurve.bytes : []
        let curve = bytes.span
        for x in row.indices {
            let p = SIMD4<Float>(values[4 * x], values[4 * x + 1], values[4 * x + 2], values[4 * x + 3])
            let stored = stored(p, largest: 255, alpha: alpha, isLinear: isLinear) { light in
                Float(curve[Int(limited(light * 65535, 65535))])
            }
            row[x] = RGBA8(UInt8(stored.x), UInt8(stored.y), UInt8(stored.z), UInt8(stored.w))
        }
    }

    package static func finish(
        _ values: UnsafePointer<Float>, to row: inout MutableSpan<RGBA16>, alpha: AlphaMode, isLinear: Bool
    ) {
        for x in row.indices {
            let p = SIMD4<Float>(values[4 * x], values[4 * x + 1], values[4 * x + 2], values[4 * x + 3])
            let stored = stored(p, largest: 65535, alpha: alpha, isLinear: isLinear) { light in
                Float(TransferCurve.stored(light: Double(light)) * 65535)
            }
            row[x] = RGBA16(UInt16(stored.x), UInt16(stored.y), UInt16(stored.z), UInt16(stored.w))
        }
    }

    /// A summed pixel as whole numbers up to `largest`.
    @inline(__always) private static func stored(
        _ p: SIMD4<Float>, largest: Float, alpha: AlphaMode, isLinear: Bool, curve: (Float) -> Float
    ) -> SIMD4<Float> {
        let one: Float = isLinear ? 1 : largest
        let a = max(0, min(p.w, one))
        let storedAlpha = limited(a / one * largest, largest)
        if alpha == .none {
            var result = SIMD4<Float>(0, 0, 0, largest)
            for channel in 0..<3 { result[channel] = limited(isLinear ? curve(p[channel]) : p[channel], largest) }
            return result
        }
        guard storedAlpha > 0 else { return .zero }
        var result = SIMD4<Float>(0, 0, 0, storedAlpha)
        for channel in 0..<3 {
            if isLinear {
                let straight = curve(max(0, min(1, p[channel] / a)))
                result[channel] = limited(alpha == .premultiplied ? straight * a : straight, largest)
            } else {
                result[channel] = limited(alpha == .straight ? p[channel] * largest / a : p[channel], largest)
            }
            if alpha == .premultiplied { result[channel] = min(result[channel], storedAlpha) }
        }
        return result
    }

    /// Rounded, and limited to 0…`largest`.
    @inline(__always) private static func limited(_ value: Float, _ largest: Float) -> Float {
        let whole = Int32(max(0, min(value, largest)) + 0.5)
        return Float(whole)
    }
}
