/// A fruit of the still life: a sphere, or an apple, which is a torus so thick that its hole has closed to a dimple.
struct Fruit {
    /// The kinds of fruit.
    enum Kind {
        case apple, orange, plum, lime, cherry
    }

    /// The appearance of a point on the surface.
    struct Skin {
        var color: SIMD3<Float>
        var normal: SIMD3<Float>
        var gloss: Float
        var roughness: Float
    }

    let kind: Kind
    let center: SIMD3<Float>
    let radius: Float
    let seed: UInt32

    /// The fruit of the scene. The ground is at height 0, and each fruit stands on it.
    static let bowl = [
        Fruit(kind: .apple, center: [-0.55, 0.86, 0.55], radius: 0.98, seed: 3),
        Fruit(kind: .orange, center: [0.98, 0.80, 0.05], radius: 0.80, seed: 5),
        Fruit(kind: .plum, center: [-1.42, 0.52, -0.62], radius: 0.52, seed: 7),
        Fruit(kind: .lime, center: [0.02, 0.47, -1.05], radius: 0.47, seed: 11),
        Fruit(kind: .cherry, center: [1.02, 0.27, -1.18], radius: 0.27, seed: 13),
        Fruit(kind: .cherry, center: [1.52, 0.26, -0.88], radius: 0.26, seed: 17),
        Fruit(kind: .cherry, center: [-0.72, 0.25, -1.42], radius: 0.25, seed: 19),
    ]

    /// Returns the distance along a ray to the fruit; nil if the ray misses it.
    func hit(from eye: SIMD3<Float>, _ direction: SIMD3<Float>) -> Float? {
        let to = center - eye
        let along = Tone.dot(to, direction)
        let off = Tone.dot(to, to) - along * along
        let square = radius * radius
        guard off < square, along > 0 else { return nil }
        let entry = along - (square - off).squareRoot()
        guard kind == .apple else { return entry }
        var distance = entry
        for _ in 0..<96 {
            let gap = appleGap(eye + direction * distance)
            if gap < 0.0008 { return distance }
            distance += gap
            if distance > along + radius { return nil }
        }
        return nil
    }

    /// The distance of a point from the apple's skin, in scene units; the stem is part of it.
    private func appleGap(_ place: SIMD3<Float>) -> Float {
        let p = (place - center) * (1 / radius)
        let axis = (p.x * p.x + p.z * p.z).squareRoot()
        // Narrower towards the bottom.
        let width = axis * (1.02 - 0.12 * p.y)
        let ring = ((width - 0.34) * (width - 0.34) + p.y * p.y * 0.72).squareRoot() - 0.62
        let lean = p.x - (p.y - 0.5) * 0.18
        let stem = max((lean * lean + p.z * p.z).squareRoot() - 0.032, abs(p.y - 0.74) - 0.24)
        return min(ring * 0.92, stem) * radius
    }

    private func isStem(_ place: SIMD3<Float>) -> Bool {
        guard kind == .apple else { return false }
        let p = (place - center) * (1 / radius)
        let lean = p.x - (p.y - 0.5) * 0.18
        return p.y > 0.4 && lean * lean + p.z * p.z < 0.0014
    }

    /// The surface normal at a point.
    func normal(_ place: SIMD3<Float>) -> SIMD3<Float> {
        guard kind == .apple else { return (place - center) * (1 / radius) }
        let step: Float = 0.002
        let here = appleGap(place)
        return Tone.normalized([
            appleGap(place + [step, 0, 0]) - here, appleGap(place + [0, step, 0]) - here,
            appleGap(place + [0, 0, step]) - here,
        ])
    }

    /// Smooth noise in space, -1 to 1.
    private func noise(_ p: SIMD3<Float>) -> Float {
        let cell = SIMD3<Float>(p.x.rounded(.down), p.y.rounded(.down), p.z.rounded(.down))
        let t = p - cell
        let s = t * t * (3 - 2 * t)
        let (x, y, z) = (Int(cell.x), Int(cell.y), Int(cell.z))
        func corner(_ dx: Int, _ dy: Int, _ dz: Int) -> Float {
            Randomness.unit(Randomness.bits(x + dx + (z + dz) * 7919, y + dy, seed: seed)) * 2 - 1
        }
        func edge(_ dy: Int, _ dz: Int) -> Float {
            let left = corner(0, dy, dz)
            return left + (corner(1, dy, dz) - left) * s.x
        }
        func face(_ dz: Int) -> Float {
            let bottom = edge(0, dz)
            return bottom + (edge(1, dz) - bottom) * s.y
        }
        let front = face(0)
        return front + (face(1) - front) * s.z
    }

    /// The colour, gloss and fine relief of the skin.
    func skin(_ place: SIMD3<Float>, _ smooth: SIMD3<Float>) -> Skin {
        let p = (place - center) * (1 / radius)
        if isStem(place) {
            return Skin(color: [0.13, 0.075, 0.035], normal: smooth, gloss: 0.1, roughness: 0.4)
        }
        switch kind {
        case .apple:
            let axis = (p.x * p.x + p.z * p.z).squareRoot()
            let around = SIMD3<Float>(p.x, p.z, 0) * (1 / max(axis, 0.05))
            let streak =
                noise(SIMD3(around.x * 14, around.y * 14, p.y * 1.3)) * 0.6 + noise(
                    SIMD3(around.x * 37, around.y * 37, p.y * 2)) * 0.4
            let blush = Tone.rise(p.x * 0.45 - p.z * 0.5 + p.y * 0.35 + streak * 0.42 + 0.30, -0.35, 0.5)
            let dimple = 1 - Tone.rise(axis, 0.10, 0.42)
            var color = Tone.mix([0.62, 0.50, 0.10], [0.56, 0.030, 0.022], blush)
            color = Tone.mix(color, [0.36, 0.34, 0.06], p.y > 0 ? dimple : 0)
            let dots = Tone.rise(noise(p * 26), 0.70, 0.86)
            color = Tone.mix(color, [0.74, 0.55, 0.30], dots * 0.3)
            return Skin(color: color * (1 + 0.10 * streak), normal: smooth, gloss: 0.85, roughness: 0.09)
        case .orange:
            let q = p * 26
            let (dx, dy, dz) = (noise(q), noise(q + [31, 0, 5]), noise(q + [3, 47, 0]))
            let pores = noise(p * 15)
            let normal = Tone.normalized(smooth + SIMD3(dx, dy, dz) * 0.13)
            let color = Tone.mix([0.92, 0.34, 0.012], [0.98, 0.45, 0.03], 0.5 + 0.5 * noise(p * 3))
            return Skin(color: color * (0.96 + 0.07 * pores), normal: normal, gloss: 0.5, roughness: 0.22)
        case .plum:
            let bloom = Tone.rise(noise(p * 2.6) + 0.5 * noise(p * 7) + 0.6 * p.y, -0.5, 0.9)
            let crease = Tone.rise(abs(p.x * 0.8 - p.z * 0.6 + 0.16), 0, 0.05)
            let color = Tone.mix([0.075, 0.014, 0.055], [0.25, 0.20, 0.38], bloom * 0.75) * (0.55 + 0.45 * crease)
            return Skin(color: color, normal: smooth, gloss: 0.34 - 0.22 * bloom, roughness: 0.2)
        case .lime:
            let q = p * 22
            let normal = Tone.normalized(
                smooth + SIMD3(noise(q), noise(q + [17, 0, 3]), noise(q + [5, 29, 0])) * 0.09)
            let color = Tone.mix(
                [0.16, 0.34, 0.018], [0.42, 0.54, 0.05], 0.5 + 0.4 * noise(p * 2.2) + 0.2 * noise(p * 6))
            return Skin(color: color, normal: normal, gloss: 0.6, roughness: 0.16)
        case .cherry:
            let color = Tone.mix([0.20, 0.006, 0.012], [0.46, 0.02, 0.02], 0.5 + 0.5 * noise(p * 1.7))
            return Skin(color: color, normal: smooth, gloss: 1, roughness: 0.07)
        }
    }
}
