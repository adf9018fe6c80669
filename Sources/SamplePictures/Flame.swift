internal import Raster

/// A fractal flame (Draves and Reckase, "The Fractal Flame Algorithm"): a point moves through randomly chosen maps, and
/// glows where it passes often.
struct Flame {
    /// A map: an affine transformation, then a blend of four variations.
    private struct Map {
        var a: Float, b: Float, c: Float, d: Float, e: Float, f: Float
        /// The weights of the variations: identity, spherical inversion, bubble, and sine wave.
        var bends: SIMD4<Float>
        var hue: SIMD3<Float>
    }

    private static let maps = [
        Map(
            a: 0.72, b: -0.48, c: 0.30, d: 0.48, e: 0.72, f: -0.12, bends: [0.70, 0.10, 0.20, 0.0],
            hue: [1.0, 0.34, 0.06]),
        Map(
            a: -0.46, b: 0.38, c: -0.55, d: -0.40, e: -0.52, f: 0.42, bends: [0.0, 0.55, 0.0, 0.45],
            hue: [0.10, 0.35, 1.0]),
        Map(
            a: 0.50, b: 0.22, c: 0.62, d: -0.30, e: 0.58, f: 0.50, bends: [0.25, 0.0, 0.75, 0.0],
            hue: [0.85, 0.08, 0.55]),
    ]

    /// Moves the point and develops its trace into a bitmap.
    static func makeBitmap(_ info: BitmapInfo) throws(ImageError) -> Bitmap {
        let size = info.size
        guard size.pixelCount <= 1 << 26 else {
            throw ImageError(.limitExceeded, "a flame of \(size) pixels; the limit is 67108864")
        }
        var glow = [SIMD4<Float>](repeating: SIMD4(), count: size.pixelCount)
        wander(&glow, size, count: size.pixelCount * 24)
        soften(&glow, size)
        return try develop(glow, info)
    }

    private static func wander(_ pixels: inout [SIMD4<Float>], _ size: PixelSize, count: Int) {
        var glow = pixels.mutableSpan
        var random = RandomSequence(seed: 2003)
        let (width, height) = (Float(size.width), Float(size.height))
        let scale = min(width, height) * 0.29
        let (first, second, third) = (maps[0], maps[1], maps[2])
        var (x, y): (Float, Float) = (0.1, 0.2)
        var color = SIMD3<Float>(0.5, 0.5, 0.5)
        for step in 0..<count {
            let bits = random.nextBits()
            let choice = bits >> 24
            let map = choice < 118 ? first : (choice < 192 ? second : third)
            let u = map.a * x + map.b * y + map.c
            let v = map.d * x + map.e * y + map.f
            let square = u * u + v * v + 1e-6
            let inverse = map.bends.y / square + map.bends.z * 4 / (square + 4) + map.bends.x
            x = u * inverse + map.bends.w * Tone.sine(u)
            y = v * inverse + map.bends.w * Tone.sine(v)
            color = (color + map.hue) * 0.5
            // A point at infinity would stay there; the first points aren't on the attractor yet.
            guard abs(x) < 100, abs(y) < 100 else {
                (x, y) = (0.1, 0.2)
                continue
            }
            // A random fraction of a pixel hides the pattern of the grid.
            let column = x * scale + width * 0.53 + Float(bits & 255) * (1 / 256)
            let row = y * scale + height * 0.455 + Float((bits >> 8) & 255) * (1 / 256)
            guard step > 20, column >= 0, row >= 0, column < width, row < height else { continue }
            glow[Int(row) * size.width + Int(column)] += SIMD4(color, 1)
        }
    }

    /// Blurs sparse areas and leaves dense ones sharp.
    private static func soften(_ glow: inout [SIMD4<Float>], _ size: PixelSize) {
        guard size.width > 4, size.height > 4 else { return }
        let sharp = glow
        for y in 2..<(size.height - 2) {
            for x in 2..<(size.width - 2) {
                let index = y * size.width + x
                var near = SIMD4<Float>()
                for dy in -2...2 {
                    let row = index + dy * size.width
                    near += sharp[row - 2] + sharp[row - 1] + sharp[row] + sharp[row + 1] + sharp[row + 2]
                }
                near *= 1 / 25
                let dense = Tone.rise(near.w, 4, 60)
                glow[index] = near + (sharp[index] - near) * dense
            }
        }
    }

    private static func develop(_ glow: [SIMD4<Float>], _ info: BitmapInfo) throws(ImageError) -> Bitmap {
        var bitmap = try MutableBitmap(uninitialized: info)
        var rows = bitmap.mutableRows
        let extent = Float(min(info.size.width, info.size.height))
        for y in 0..<info.size.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in row.indices {
                let spot = glow[y * info.size.width + x]
                guard spot.w > 0.02 else {
                    row[x] = RGBA8(0, 0, 0, 0)
                    continue
                }
                // A double square root flattens like a logarithm, and every machine rounds it identically.
                let (across, down) = (
                    Float(2 * x + 1 - row.count) / extent, Float(2 * y + 1 - info.size.height) / extent
                )
                let edge = 1 - Tone.rise(across * across + down * down, 0.62, 0.98)
                let strength = (spot.w * (1 / 260)).squareRoot().squareRoot()
                let hue = SIMD3(spot.x, spot.y, spot.z) * (1 / spot.w)
                let white = Tone.rise(strength, 0.85, 1.7)
                let light = Tone.mix(hue * (0.25 + 0.9 * strength), [1, 0.96, 0.88], white * 0.8)
                let grain = Randomness.bell(Randomness.bits(x, y, seed: 41)) * 0.8
                row[x] = Tone.pixel(light, alpha: Tone.clamp(strength * 1.7 - 0.4) * edge, grain: grain)
            }
        }
        return bitmap.freeze()
    }
}
