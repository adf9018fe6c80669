internal import Platform
internal import Raster

/// Applies a gain map to the pixels of its base (ISO 21496-1, 6; Adobe's gain map specification 1.0).
///
/// For each channel of linear light: `(base + baseOffset) * 2^(weight * gain) - alternateOffset`. The weight is negative where
/// the base is the higher rendition, since gains lead from the lower one to the higher. The map is interpolated bilinearly
/// between the centres of its pixels.
struct GainMapRenderer {
    private let map: Bitmap
    /// The factors for values of the map from 0 to 1, for red, then green, then blue.
    private let factors: [Float]
    private let baseOffset: SIMD4<Float>
    private let alternateOffset: SIMD4<Float>
    /// The linear light of stored values, for red, then green, then blue.
    private let light: [Float]
    /// The base's primaries in the space where gains apply; nil if that is the base's.
    private let before: Matrix3.Single?
    /// The primaries of the space where gains apply in BT.2020's.
    private let after: Matrix3.Single
    /// The place in the map of each column and row of the base.
    private let columns: [MapPosition]
    private let rows: [MapPosition]
    /// The format and size of the rendition: straight or opaque PQ of 16 bits in BT.2020's primaries.
    let info: BitmapInfo

    /// The number of values for which factors are kept: for 8 stops a step is 0.07%.
    private static let factorCount = 1 << 13

    /// - Parameters:
    ///   - base: The base's pixels: in standard range, or PQ in BT.2020's primaries.
    ///   - stored: The profile whose primaries are the base's own.
    ///   - part: The part of the image that `base` covers; nil for all of it.
    init(
        _ map: GainMap, base: BitmapInfo, stored: ColorProfile, weight: Double, part: Part? = nil
    ) throws(ImageError) {
        let isHigh = base.profile.isHighDynamicRange
        guard let wide = LinearColorSpace.makeBT2020(),
            let space = isHigh ? wide : LinearColorSpace(base.profile)
        else {
            throw ImageError(.unsupported, "the colour space of the image isn't given by primaries and tone curves")
        }
        let pixels = try map.image.bitmap()
        guard pixels.format.bitsPerChannel == 8 else {
            throw ImageError(.unsupported, "a gain map of more than 8 bits a channel")
        }
        self.map = pixels
        let metadata = map.metadata
        let ownSpace = isHigh ? LinearColorSpace(stored) : nil
        let gainSpace =
            metadata.usesBaseColorSpace
            ? ownSpace : map.alternateProfile.flatMap { LinearColorSpace($0) } ?? ownSpace
        before = gainSpace.map { space.matrix(to: $0).single }
        after =
            ((gainSpace ?? space).matrix(to: wide) * (PerceptualQuantizer.white / PerceptualQuantizer.peak)).single
        let bits = base.format.bitsPerChannel
        light = isHigh ? Self.highLight(bits: bits) : space.light(bits: bits)
        factors = metadata.channels.flatMap { channel in
            (0..<Self.factorCount).map { step in
                let recovered = pow(Double(step) / Double(Self.factorCount - 1), 1 / channel.gamma)
                return Float(
                    exp2(weight * (channel.minimum + (channel.maximum - channel.minimum) * recovered)))
            }
        }
        func vector(_ value: (GainMapMetadata.Channel) -> Double) -> SIMD4<Float> {
            SIMD4(Float(value(metadata.red)), Float(value(metadata.green)), Float(value(metadata.blue)), 0)
        }
        baseOffset = vector(\.baseOffset)
        alternateOffset = vector(\.alternateOffset)
        info = BitmapInfo(
            size: base.size, format: .rgba16, alpha: base.alpha,
            profile: .coded(primaries: 9, transfer: 16, isGray: false))
        let part = part ?? Part(base.size)
        columns = MapPosition.all(
            base.size.width, of: pixels.width, length: part.whole.width, from: part.region.x,
            by: part.region.width / part.coverage.width)
        rows = MapPosition.all(
            base.size.height, of: pixels.height, length: part.whole.height, from: part.region.y,
            by: part.region.height / part.coverage.height)
    }

    /// A part of an image that is decoded, perhaps at a reduced size.
    struct Part {
        /// The size of the whole image.
        let whole: PixelSize
        /// In pixels of the whole image.
        let region: PixelRegion
        /// The decoded pixels that the part covers, from their first row and column on.
        let coverage: PixelRegion

        /// All of an image.
        init(_ size: PixelSize) {
            whole = size
            region = PixelRegion(size)
            coverage = region
        }

        /// The part of an image of `size` that `plan` selects, decoded to `decoded` pixels.
        init(_ plan: DecodingPlan, of size: PixelSize, decodedAs decoded: PixelSize) {
            whole = size
            region = plan.region.map { PixelRegion($0) } ?? PixelRegion(size)
            coverage = plan.coverage(of: size, decodedAs: decoded)
        }
    }

    /// The linear light of every value of PQ of `bits` bits, for red, then green, then blue; 1 is white.
    private static func highLight(bits: Int) -> [Float] {
        let maximum = Double(1 << bits - 1)
        let light = (0..<(1 << bits)).map { value in
            Float(
                PerceptualQuantizer.light(Double(value) / maximum) * PerceptualQuantizer.peak
                    / PerceptualQuantizer.white)
        }
        return light + light + light
    }

    /// The rendition of `base`, RGB with the properties that the renderer was made for.
    func render(_ base: Bitmap) throws(ImageError) -> Bitmap {
        var result = try MutableBitmap(uninitialized: info)
        try result.fill { (target, range) throws(ImageError) in
            render(base.rows.extracting(range), from: range.lowerBound, into: &target)
        }
        return result.freeze()
    }

    /// Renders rows of the base, of which the first is row `first`, into the first rows of `target`.
    func render(_ base: borrowing PixelRows, from first: Int, into target: inout MutablePixelRows) {
        var mapRow = [SIMD4<Float>](repeating: .zero, count: map.width)
        var baseRow = [SIMD4<Float>](repeating: .zero, count: info.size.width)
        for y in 0..<base.count {
            blend(rows[first + y], into: &mapRow)
            linearize(base, y, into: &baseRow)
            var row = target.row(y, as: RGBA16.self)
            apply(mapRow.span, columns.span, to: baseRow.span, into: &row)
        }
    }

    /// Interpolates between two rows of the map; the values are 0 to `factorCount - 1`.
    private func blend(_ position: MapPosition, into row: inout [SIMD4<Float>]) {
        let scale = Float(Self.factorCount - 1) / 255
        let (low, high) = ((1 - position.fraction) * scale, position.fraction * scale)
        if map.format == .gray8 {
            let (a, b) = (map.rows.row(position.low, as: Gray8.self), map.rows.row(position.high, as: Gray8.self))
            for x in row.indices { row[x] = SIMD4(repeating: Float(a[x].value) * low + Float(b[x].value) * high) }
        } else {
            let (a, b) = (map.rows.row(position.low, as: RGBA8.self), map.rows.row(position.high, as: RGBA8.self))
            for x in row.indices {
                let (p, q) = (a[x], b[x])
                row[x] =
                    SIMD4(Float(p.red), Float(p.green), Float(p.blue), 0) * low
                    + SIMD4(Float(q.red), Float(q.green), Float(q.blue), 0) * high
            }
        }
    }

    /// The linear light of row `y`, with alpha from 0 to 65535 as the fourth value.
    private func linearize(_ base: borrowing PixelRows, _ y: Int, into row: inout [SIMD4<Float>]) {
        let light = light.span
        if base.format == .rgba8 {
            let source = base.row(y, as: RGBA8.self)
            for x in row.indices {
                let pixel = source[x]
                row[x] = SIMD4(
                    light[Int(pixel.red)], light[256 + Int(pixel.green)], light[512 + Int(pixel.blue)],
                    Float(pixel.alpha) * 257)
            }
        } else {
            let source = base.row(y, as: RGBA16.self)
            for x in row.indices {
                let pixel = source[x]
                row[x] = SIMD4(
                    light[Int(pixel.red)], light[65536 + Int(pixel.green)], light[131072 + Int(pixel.blue)],
                    Float(pixel.alpha))
            }
        }
    }

    private func apply(
        _ mapRow: borrowing Span<SIMD4<Float>>, _ columns: borrowing Span<MapPosition>,
        to base: borrowing Span<SIMD4<Float>>, into row: inout MutableSpan<RGBA16>
    ) {
        let (factors, words) = (factors.span, PerceptualQuantizer.table)
        let table = words.span
        let (first, second) = (Self.factorCount, 2 * Self.factorCount)
        for x in row.indices {
            let position = columns[x]
            let (low, high) = (mapRow[position.low], mapRow[position.high])
            let index = low + (high - low) * position.fraction + 0.5
            // The values are between 0 and the last index, as each is a mean of such values.
            let factor = SIMD4(
                factors[Int(index.x)], factors[first + Int(index.y)], factors[second + Int(index.z)], 0)
            var pixel = base[x]
            let alpha = pixel.w
            if let before { pixel = before * pixel }
            pixel = after * ((pixel + baseOffset) * factor - alternateOffset)
            row[x] = RGBA16(
                PerceptualQuantizer.word(pixel.x, table), PerceptualQuantizer.word(pixel.y, table),
                PerceptualQuantizer.word(pixel.z, table), UInt16(alpha))
        }
    }
}

/// Two neighbouring rows or columns of a map, and the place between them of one of the base.
struct MapPosition {
    let low: Int
    let high: Int
    let fraction: Float

    /// The positions of `count` pixels' centres along `stored` pixels of a map.
    /// - Parameters:
    ///   - length: The image's pixels along the whole map.
    ///   - start: The image's pixel at which the first of the `count` begins.
    ///   - step: The image's pixels for each of the `count`.
    static func all(
        _ count: Int, of stored: Int, length: Int, from start: Double = 0, by step: Double = 1
    ) -> [MapPosition] {
        (0..<count).map { index in
            let center = (start + (Double(index) + 0.5) * step) * Double(stored) / Double(length) - 0.5
            let place = min(Double(stored - 1), max(0, center))
            let low = Int(place)
            return MapPosition(low: low, high: min(low + 1, stored - 1), fraction: Float(place - Double(low)))
        }
    }
}
