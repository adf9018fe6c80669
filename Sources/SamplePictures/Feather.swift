internal import Raster

/// A peacock's feather: barbs on both sides of a shaft, each with fine barbules, coloured by their position in the eye.
struct Feather {
    private var canvas: Canvas
    private let height: Float
    private let offset: Float

    /// Draws the feather into a bitmap described by `info`.
    static func makeBitmap(_ info: BitmapInfo) throws(ImageError) -> Bitmap {
        var feather = try Feather(info.size)
        feather.draw()
        return try feather.canvas.makeBitmap(info)
    }

    private init(_ size: PixelSize) throws(ImageError) {
        canvas = try Canvas(size: size)
        height = min(Float(size.height), Float(size.width) * 1.5)
        offset = Float(size.width) * 0.5
    }

    /// The centre of the eye, as fractions of the height.
    private static let eye = SIMD2<Float>(0.012, 0.295)

    /// The position on the shaft at `t`, 0 at the quill's end and 1 at the eye: a slight curve.
    private static func shaft(_ t: Float) -> SIMD2<Float> {
        SIMD2(-0.07 + 0.16 * t - 0.078 * t * t, 0.985 - 0.69 * t)
    }

    private mutating func draw() {
        var random = RandomSequence(seed: 1871)
        // From the quill up, so that upper barbs cover lower ones; then the fan around the eye.
        let barbs = 300
        for index in 0..<barbs {
            let t = 0.10 + 0.90 * Float(index) / Float(barbs)
            for side: Float in [-1, 1] {
                let angle = 0.98 - 0.42 * t + 0.10 * random.signed()
                let spread = Tone.rise(t, 0.0, 0.8)
                let length = (0.10 + 0.19 * spread) * (0.82 + 0.18 * random.next())
                barb(Self.shaft(t), side * angle, length, loose: 1, &random)
            }
        }
        drawShaft()
        for index in 0..<260 {
            let turn = Float(index) / 259 * 2 - 1
            // From the sides to the top, alternating left and right.
            let angle = (index % 2 == 0 ? 1 : -1) * (1 - abs(turn)) * 1.25 + 0.05 * random.signed()
            let start = Self.shaft(0.93 + 0.07 * random.next())
            let length = (0.265 - 0.035 * abs(angle)) * (0.86 + 0.14 * random.next())
            barb(start, angle, length, loose: 0.6, &random)
        }
    }

    private mutating func drawShaft() {
        for step in 0..<Int(height * 2) {
            let t = Float(step) / (height * 2) * 0.97
            let place = Self.shaft(t)
            let width = 0.0042 * (1 - 0.75 * t)
            let across = max(1, Int(width * height * 2))
            for part in 0...across {
                let u = Float(part) / Float(across) * 2 - 1
                let light: Float = 0.45 + 0.4 * (1 - (u + 0.35) * (u + 0.35))
                let color = Tone.mix([0.86, 0.80, 0.66], [0.36, 0.26, 0.14], t) * light
                canvas.dot(offset + (place.x + u * width) * height, place.y * height, color, 0.5)
            }
        }
    }

    /// Draws a barb from `start`, leaving at `angle` from straight up and bending upwards, with barbules along it.
    private mutating func barb(
        _ start: SIMD2<Float>, _ angle: Float, _ length: Float, loose: Float, _ random: inout RandomSequence
    ) {
        let steps = max(8, Int(length * height * 1.4))
        let stride = length / Float(steps)
        let bend = (0.25 + 0.35 * random.next()) * loose
        let wave = random.next() * 6.28
        var place = start
        let sheen = 0.8 + 0.4 * random.next()
        for step in 0..<steps {
            let t = Float(step) / Float(steps)
            let heading = angle * (1 - bend * t) + 0.10 * loose * t * Tone.sine(wave + 5 * t)
            let (sine, cosine) = (Tone.sine(heading), Tone.cosine(heading))
            place += SIMD2(sine, -cosine) * stride
            let color = Self.color(place, sheen) * (0.75 + 0.5 * random.next())
            let fade = 1 - Tone.rise(t, 0.75, 1) * 0.85
            canvas.dot(offset + place.x * height, place.y * height, color * 1.15, 0.55 * fade)
            // Barbules: short hairs on both sides, leaning forward.
            guard step % 2 == 0 else { continue }
            let reach = (0.0085 + 0.004 * random.next()) * (1 - 0.6 * t * loose) * height
            for side: Float in [-1, 1] {
                let lean = heading + side * (0.75 + 0.3 * random.next())
                let (dx, dy) = (Tone.sine(lean), -Tone.cosine(lean))
                let shade = color * (0.62 + 0.5 * random.next())
                for dotIndex in 1...max(1, Int(reach / 0.8)) {
                    let along = Float(dotIndex) * 0.8
                    canvas.dot(
                        offset + place.x * height + dx * along, place.y * height + dy * along, shade,
                        0.30 * fade * (1 - along / (reach + 1)))
                }
            }
        }
    }

    /// The colour at a position, in linear light: the eye's rings, and bronze green outside.
    private static func color(_ place: SIMD2<Float>, _ sheen: Float) -> SIMD3<Float> {
        let d = place - eye
        let x = d.x * 1.18
        let radius = (x * x + d.y * d.y * (d.y > 0 ? 0.80 : 1.05)).squareRoot()
        // The indigo centre has a notch below, towards the quill.
        let notch = Tone.rise(0.03 - abs(d.x), 0, 0.03) * Tone.rise(d.y, 0, 0.06) * 0.03
        let heart = radius + notch
        var color = Tone.mix([0.012, 0.010, 0.12], [0.00, 0.11, 0.42], Tone.rise(heart, 0.018, 0.044))
        color = Tone.mix(color, [0.00, 0.40, 0.46], Tone.rise(heart, 0.044, 0.062))
        color = Tone.mix(color, [0.03, 0.46, 0.40], Tone.rise(radius, 0.062, 0.076))
        color = Tone.mix(color, [0.34, 0.15, 0.035], Tone.rise(radius, 0.076, 0.090))
        color = Tone.mix(color, [0.46, 0.26, 0.05], Tone.rise(radius, 0.092, 0.122))
        color = Tone.mix(color, [0.50, 0.46, 0.07], Tone.rise(radius, 0.124, 0.138))
        color = Tone.mix(color, [0.07, 0.33, 0.09], Tone.rise(radius, 0.140, 0.158))
        color = Tone.mix(color, [0.26, 0.27, 0.07], Tone.rise(radius, 0.165, 0.20))
        color = Tone.mix(color, [0.10, 0.20, 0.06], Tone.rise(radius, 0.21, 0.34))
        color = Tone.mix(color, [0.16, 0.12, 0.05], Tone.rise(place.y, 0.55, 0.95))
        return color * sheen
    }
}
