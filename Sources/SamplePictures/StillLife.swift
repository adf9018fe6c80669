internal import Raster

/// Fruit lit by a window, with a soft shadow on a transparent ground: ray-marched, four rays a pixel.
struct StillLife: RowPainter {
    private let size: PixelSize
    private let fruits = Fruit.bowl

    private static let eye = SIMD3<Float>(0, 2.35, -6.4)
    private static let aim = Tone.normalized(SIMD3<Float>(0, 0.66, -0.25) - eye)
    private static let right = Tone.normalized(SIMD3<Float>(aim.z, 0, -aim.x))
    private static let up = SIMD3<Float>(
        aim.y * right.z - aim.z * right.y, aim.z * right.x - aim.x * right.z, aim.x * right.y - aim.y * right.x)
    private static let light = Tone.normalized(SIMD3<Float>(-0.62, 0.9, -0.42))

    init(size: PixelSize) { self.size = size }

    func paint(_ row: inout MutableSpan<RGBA8>, y: Int) {
        // The scene's aspect ratio is a little under 4:3; it fits entirely into any size.
        let scale = 2.06 / Float(min(size.width * 3, size.height * 4))
        for x in row.indices {
            var color = SIMD3<Float>()
            var cover: Float = 0
            for ray in 0..<4 {
                // A rotated grid: no two rays of a pixel share a row or column.
                let dx = Float(x) + [0.375, 0.875, 0.125, 0.625][ray] - Float(size.width) * 0.5
                let dy = Float(y) + [0.125, 0.375, 0.625, 0.875][ray] - Float(size.height) * 0.5
                let seen = trace(dx * scale, -dy * scale)
                color += SIMD3(seen.x, seen.y, seen.z) * seen.w
                cover += seen.w
            }
            guard cover > 0 else {
                row[x] = RGBA8(0, 0, 0, 0)
                continue
            }
            let noise = Randomness.bell(Randomness.bits(x, y, seed: 71)) * 1.1
            row[x] = Tone.pixel(color * (1 / cover), alpha: cover * 0.25, grain: noise)
        }
    }

    /// The linear light and alpha along one ray.
    private func trace(_ x: Float, _ y: Float) -> SIMD4<Float> {
        let direction = Tone.normalized(Self.aim + Self.right * x + Self.up * y)
        var nearest: (distance: Float, index: Int)?
        for index in fruits.indices {
            if let distance = fruits[index].hit(from: Self.eye, direction), distance < nearest?.distance ?? .infinity {
                nearest = (distance, index)
            }
        }
        if let nearest {
            let place = Self.eye + direction * nearest.distance
            return SIMD4(shade(nearest.index, place, direction), 1)
        }
        guard direction.y < -0.01 else { return SIMD4() }
        return shadow(Self.eye + direction * (-Self.eye.y / direction.y))
    }

    /// The fraction of direct light that reaches a point, and of the surroundings that are visible from it.
    private func exposure(_ place: SIMD3<Float>, _ normal: SIMD3<Float>, except: Int?) -> (light: Float, open: Float) {
        var (light, open): (Float, Float) = (1, 1)
        for (index, fruit) in fruits.enumerated() where index != except {
            let to = fruit.center - place
            let square = Tone.dot(to, to)
            let along = Tone.dot(to, Self.light)
            if along > 0 {
                let off = max(0, square - along * along).squareRoot()
                let blur = 0.05 + 0.17 * along
                light *= Tone.rise(off, fruit.radius - blur * 1.2, fruit.radius + blur)
            }
            let facing = max(0, Tone.dot(to, normal) / square.squareRoot())
            open *= 1 - facing * min(1, fruit.radius * fruit.radius / square) * 0.85
        }
        return (light, open)
    }

    private func shadow(_ place: SIMD3<Float>) -> SIMD4<Float> {
        let (light, open) = exposure(place, SIMD3(0, 1, 0), except: nil)
        let away = place.x * place.x / 4.9 + (place.z + 0.1) * (place.z + 0.1) / 5.6
        let fade = 1 - Tone.rise(away, 0.25, 1)
        let dark = 1 - (0.42 + 0.58 * light) * open
        return SIMD4(0.020, 0.012, 0.014, dark * fade * 0.86)
    }

    private func shade(_ index: Int, _ place: SIMD3<Float>, _ direction: SIMD3<Float>) -> SIMD3<Float> {
        let fruit = fruits[index]
        let smooth = fruit.normal(place)
        let skin = fruit.skin(place, smooth)
        let normal = skin.normal
        let (reach, open) = exposure(place + smooth * 0.01, smooth, except: index)
        let facing = Tone.dot(normal, Self.light)
        // Light enters the surface a little, which makes the shadow's edge warm and soft.
        let wrapped = Tone.clamp((facing + 0.16) / 1.16) * reach
        let sky = SIMD3<Float>(0.40, 0.47, 0.58) * (0.55 + 0.45 * normal.y)
        let floor = SIMD3<Float>(0.30, 0.22, 0.17) * max(0, 0.35 - 0.65 * normal.y)
        let near = open * (0.35 + 0.65 * Tone.rise(place.y, -0.1, 0.5))
        var color = skin.color * (SIMD3<Float>(1.55, 1.42, 1.22) * wrapped + (sky + floor) * near * 0.72)

        // Reflections: the window, a square with soft edges, and the sky, stronger at a glancing angle.
        let mirrored = direction - normal * (2 * Tone.dot(direction, normal))
        let across = Tone.dot(mirrored, Tone.normalized([0.56, 0, -0.83]))
        let upward = mirrored.y - 0.66
        let toward = Tone.dot(mirrored, Self.light)
        let blur = skin.roughness
        let pane =
            Tone.rise(0.17 + blur - abs(across - 0.04), 0, 2 * blur) * Tone.rise(0.16 + blur - abs(upward), 0, 2 * blur)
        let glance = 1 - max(0, -Tone.dot(direction, normal))
        let fresnel = 0.04 + 0.7 * glance * glance * glance * glance * glance
        if toward > 0 { color += SIMD3(1, 0.97, 0.92) * (pane * skin.gloss * (0.25 + 0.75 * reach)) }
        color += SIMD3(0.75, 0.85, 1) * (fresnel * near * 0.4 * (0.4 + 0.6 * max(0, mirrored.y)))
        return color * (SIMD3<Float>(1, 1, 1) / (SIMD3<Float>(1, 1, 1) + color * 0.32)) * 1.12
    }
}
