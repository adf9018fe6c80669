internal import Raster

/// Mountain ranges behind one another in evening mist, over a lake.
struct Valley: RowPainter {
    private let size: PixelSize
    private let shore: Int
    private let grain: Float
    private let ridges: [Ridge]
    private var clouds: NoiseRows
    private var ground: NoiseRows
    private var ripples: NoiseRows
    private var red: [Float]
    private var green: [Float]
    private var blue: [Float]

    private static let zenith = SIMD3<Float>(72, 104, 158)
    private static let middle = SIMD3<Float>(196, 172, 178)
    private static let horizon = SIMD3<Float>(255, 205, 146)

    /// Creates the valley at `size`, with sensor noise of standard deviation `grain`.
    init(size: PixelSize, grain: Float = 1.2) {
        self.size = size
        self.grain = grain
        let (width, height) = (size.width, size.height)
        shore = Int(Float(height) * 0.71)
        func ridge(
            _ seed: UInt32, _ level: Float, _ relief: Float, _ hill: Float, trees: Float = 0,
            _ color: SIMD3<Float>, _ mist: SIMD3<Float>, _ mistDepth: Float, _ texture: Float
        ) -> Ridge {
            Ridge(
                width: width, height: height, level: level, relief: relief, hill: hill, treeHeight: trees, seed: seed,
                color: color, mist: mist, mistDepth: mistDepth, texture: texture)
        }
        ridges = [
            ridge(211, 0.34, 0.17, 0.42, [176, 152, 168], [244, 203, 168], 0.30, 0.10),
            ridge(307, 0.44, 0.11, 0.36, [136, 126, 154], [224, 184, 164], 0.26, 0.22),
            ridge(419, 0.51, 0.09, 0.33, [96, 102, 132], [186, 164, 166], 0.24, 0.45),
            ridge(523, 0.58, 0.07, 0.28, trees: 0.012, [58, 76, 100], [140, 138, 152], 0.20, 0.7),
            ridge(641, 0.645, 0.05, 0.45, trees: 0.034, [31, 51, 66], [98, 106, 122], 0.16, 0.9),
            ridge(757, 0.70, 0.05, 0.7, trees: 0.085, [14, 27, 33], [44, 58, 66], 0.13, 1),
        ]
        func cells(_ part: Float) -> Int { max(2, Int(part * Float(height))) }
        clouds = NoiseRows(
            width: width, cellWidth: cells(0.5), cellHeight: cells(0.085), amplitude: 0.6, persistence: 0.52, count: 5,
            seed: 17)
        ground = NoiseRows(
            width: width, cellWidth: cells(0.05), cellHeight: cells(0.035), amplitude: 16, persistence: 0.66, count: 5,
            seed: 29)
        ripples = NoiseRows(
            width: width, cellWidth: cells(0.16), cellHeight: cells(0.01), amplitude: 1, persistence: 0.55, count: 4,
            seed: 31)
        red = [Float](repeating: 0, count: width)
        green = red
        blue = red
    }

    mutating func paint(_ row: inout MutableSpan<RGBA8>, y: Int) {
        if y < shore {
            paintLand(y)
            finish(&row, y: y)
        } else {
            // The lake reflects the land upside down, slightly compressed.
            let depth = y - shore
            paintLand(max(0, shore - 1 - depth * 5 / 4))
            ripples.move(to: depth)
            paintWater(&row, y: y, depth: Float(depth) / Float(max(1, size.height - shore)))
        }
    }

    /// Paints sky and mountains of row `y` into the three colour rows.
    private mutating func paintLand(_ y: Int) {
        // The nearest range that covers the entire row hides everything behind it.
        let hiding = ridges.lastIndex { $0.bottom <= y }
        if hiding == nil { paintSky(y) }
        guard let first = hiding ?? ridges.indices.first else { return }
        if ridges[first...].contains(where: { $0.top <= y }) { ground.move(to: y) }
        for ridge in ridges[first...] where ridge.top <= y {
            Self.paint(ridge, y: Float(y), ground.values, &red, &green, &blue)
        }
    }

    private mutating func paintSky(_ y: Int) {
        clouds.move(to: y)
        let (width, height) = (Float(size.width), Float(size.height))
        let t = Float(y) / (height * 0.5)
        let plain =
            t < 0.55
            ? Tone.mix(Self.zenith, Self.middle, Tone.rise(t, -0.25, 0.62))
            : Tone.mix(
                Tone.mix(Self.zenith, Self.middle, Tone.rise(t, -0.25, 0.62)), Self.horizon, Tone.rise(t, 0.5, 1.1))
        let sun = (x: width * 0.63, y: height * 0.31)
        let dy = (Float(y) - sun.y) / height
        for x in red.indices {
            let dx = (Float(x) - sun.x) / height
            let distance = dx * dx + dy * dy
            let glow = 0.012 / (0.02 + distance)
            let disc = Tone.clamp((0.0006 - distance) * 9000)
            let cloud = Tone.rise(clouds.values[x], 0.05, 0.8) * 0.75
            let light = 26 * cloud + 40 * glow + 120 * disc
            red[x] = plain.x + (232 - plain.x) * cloud * 0.6 + light
            green[x] = plain.y + (178 - plain.y) * cloud * 0.6 + light * 0.82
            blue[x] = plain.z + (170 - plain.z) * cloud * 0.6 + light * 0.5
        }
    }

    private static func paint(
        _ ridge: Ridge, y: Float, _ textureRow: [Float], _ redRow: inout [Float], _ greenRow: inout [Float],
        _ blueRow: inout [Float]
    ) {
        let (textures, ground) = (textureRow.span, ridge.ground.span)
        var red = redRow.mutableSpan
        var green = greenRow.mutableSpan
        var blue = blueRow.mutableSpan
        let crest = ridge.crest.span
        let (color, fade) = (ridge.color, ridge.mist - ridge.color)
        let (perRow, texture) = (1 / ridge.mistDepth, ridge.texture)
        for x in crest.indices {
            let below = y - crest[x]
            // A crest covers part of its first pixel.
            guard below > -1 else { continue }
            let mist = min(1, max(0, y - ground[x]) * perRow)
            let shade = textures[x] * texture * (1 - 0.6 * mist)
            let r = color.x + fade.x * mist + shade
            let g = color.y + fade.y * mist + shade
            let b = color.z + fade.z * mist + shade * 0.8
            let cover = min(1, below + 1)
            red[x] += (r - red[x]) * cover
            green[x] += (g - green[x]) * cover
            blue[x] += (b - blue[x]) * cover
        }
    }

    private func finish(_ row: inout MutableSpan<RGBA8>, y: Int) {
        let (red, green, blue) = (red.span, green.span, blue.span)
        for x in row.indices {
            let noise = Randomness.bell(Randomness.bits(x, y, seed: 5)) * grain
            row[x] = RGBA8(Tone.byte(red[x] + noise), Tone.byte(green[x] + noise), Tone.byte(blue[x] + noise))
        }
    }

    private func paintWater(_ row: inout MutableSpan<RGBA8>, y: Int, depth: Float) {
        let (red, green, blue, ripples) = (red.span, green.span, blue.span, ripples.values.span)
        let reach = (2 + 16 * depth) * Float(size.height) / 960
        let keep = 0.86 - 0.22 * depth
        let last = row.count - 1
        for x in row.indices {
            let ripple = ripples[x]
            let from = min(last, max(0, x + Int(ripple * reach)))
            let light = ripple * (5 + 9 * depth) + Randomness.bell(Randomness.bits(x, y, seed: 5)) * grain
            row[x] = RGBA8(
                Tone.byte(red[from] * keep + 9 + light), Tone.byte(green[from] * keep + 15 + light),
                Tone.byte(blue[from] * keep + 23 + light))
        }
    }
}
