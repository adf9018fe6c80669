internal import Raster

/// A bitmap that is filled with linear light and stores it as PQ in BT.2020's primaries, white at 203 candela per square
/// metre.
struct LightCanvas: ~Copyable {
    private(set) var bitmap: MutableBitmap
    /// The rows that were stored, from the top.
    private(set) var rowCount = 0
    /// The brightest channel, relative to white.
    private var brightest: Float = 0
    private let matrix: Matrix3.Single
    private let hasAlpha: Bool

    /// Pixels that are stored, in red, green, blue and alpha. Colours are straight.
    typealias Pixel = SIMD4<Float>

    /// Creates a canvas for light in the primaries of `profile`, or of sRGB where it has none that are possible.
    /// - Throws: `outOfMemory`.
    init(_ size: PixelSize, primaries profile: ColorProfile, hasAlpha: Bool) throws(ImageError) {
        guard let target = LinearColorSpace.makeBT2020(),
            let source = LinearColorSpace(profile) ?? LinearColorSpace(.sRGB)
        else { throw ImageError(.outOfMemory, "no memory for a colour space") }
        let info = BitmapInfo(
            size: size, format: .rgba16, alpha: hasAlpha ? .straight : .none, profile: Self.profile(peak: nil))
        self.init(try MutableBitmap(info), source.matrix(to: target).single, hasAlpha: hasAlpha)
    }

    private init(_ bitmap: consuming MutableBitmap, _ matrix: Matrix3.Single, hasAlpha: Bool) {
        self.bitmap = bitmap
        self.matrix = matrix
        self.hasAlpha = hasAlpha
    }

    /// Returns the profile of the pixels, with the brightest light in candela per square metre if it is known.
    static func profile(peak: Double?) -> ColorProfile {
        .coded(primaries: 9, transfer: Int(HighDynamicRangeSpace.Transfer.pq.rawValue), isGray: false, peak: peak)
    }

    /// The brightest light in candela per square metre, at least that of white.
    var peak: Double {
        min(PerceptualQuantizer.peak, max(1, Double(brightest)) * PerceptualQuantizer.white)
    }

    /// Stores the next row. Light below zero, or beyond what PQ can hold, is clipped; what is no number becomes black.
    mutating func store(_ pixels: Span<Pixel>) {
        let (table, matrix, hasAlpha) = (PerceptualQuantizer.table, self.matrix, hasAlpha)
        let scale = Float(PerceptualQuantizer.white / PerceptualQuantizer.peak)
        var brightest = brightest
        bitmap.withMutableRows(rowCount..<(rowCount + 1)) { rows in
            var row = rows.row(0, as: RGBA16.self)
            let table = table.span
            for x in row.indices {
                let light = matrix * pixels[x]
                // Comparisons with NaN are false.
                if light.x > brightest { brightest = light.x }
                if light.y > brightest { brightest = light.y }
                if light.z > brightest { brightest = light.z }
                let alpha = hasAlpha ? min(1, max(0, pixels[x].w)) : 1
                row[x] = RGBA16(
                    PerceptualQuantizer.word(light.x * scale, table), PerceptualQuantizer.word(light.y * scale, table),
                    PerceptualQuantizer.word(light.z * scale, table),
                    alpha >= 0 ? UInt16((alpha * 65535).rounded()) : 65535)
            }
        }
        self.brightest = brightest
        rowCount += 1
    }
}
