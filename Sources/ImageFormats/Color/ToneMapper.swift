internal import Platform
internal import Raster

/// A conversion of RGB in PQ or HLG to a smaller dynamic range: sRGB, or PQ with a lower peak.
///
/// Light is compressed by `ToneCurve` in ICtCp (ITU-R BT.2390, 5.4; BT.2100, table 7): intensity by the curve, and both
/// chroma values by the same factor, so the hue stays. A colour outside the target's primaries moves towards grey of its
/// intensity until it is inside; so nothing is clipped and the hue still stays. In sRGB white is 203 candela per square
/// metre (BT.2408), and mid grey at 26 is the same in both.
struct ToneMapper: Sendable {
    /// The range of the results.
    enum Target: Hashable {
        /// sRGB; 1 is 203 candela per square metre.
        case sRGB
        /// PQ in BT.2020's primaries up to a peak in candela per square metre.
        case pq(peak: Double)
    }

    private let isHLG: Bool
    private let isSRGB: Bool
    /// The light of stored values: of the display for PQ, relative to 10,000 candela per square metre; of the scene for HLG.
    private let light: [Float]
    /// Light of the source's primaries to BT.2020's, for HLG, or to L, M, S.
    private let before: Matrix3.Single
    /// For HLG, light of BT.2020's primaries to L, M, S.
    private let responses: Matrix3.Single
    private let toICtCp: Matrix3.Single
    private let fromICtCp: Matrix3.Single
    /// L, M, S to the target's linear light; 1 is its peak.
    private let after: Matrix3.Single
    /// Evenly spaced intensities, and their results.
    private let curve: [Float]
    /// The light of evenly spaced values of PQ.
    private let decoded: [Float]
    /// The factor from the target's linear light to PQ's.
    private let scale: Float

    private static let curveSteps = 4096
    private static let decodedSteps = 1 << 14
    private static let decodedLight = (0...decodedSteps).map { step in
        Float(PerceptualQuantizer.light(Double(step) / Double(decodedSteps)))
    }

    /// A conversion of rows of `bits` bits with `profile`, which has the code points `space`; nil if its primaries are
    /// unknown.
    init?(_ space: HighDynamicRangeSpace, of profile: ColorProfile, to target: Target, bits: Int) {
        guard let wide = LinearColorSpace.makeBT2020(), let standard = LinearColorSpace(.sRGB),
            let source = LinearColorSpace(space, of: profile)
        else { return nil }
        let range = space.range(bits: bits)
        let maximum = Double(1 << bits - 1)
        light = (0..<(1 << bits)).map { value in
            let value = (Double(value) / maximum - range.black) / (range.white - range.black)
            return Float(space.light(min(1, max(0, value))))
        }
        let toWide = source.matrix(to: wide)
        isHLG = space.transfer == .hlg
        before = (isHLG ? toWide : Matrix3.lmsOfBT2020 * toWide).single
        responses = (Matrix3.lmsOfBT2020 * (HybridLogGamma.peak / PerceptualQuantizer.peak)).single
        toICtCp = Matrix3.ictcpOfLMS.single
        fromICtCp = Matrix3.ictcpOfLMS.inverse.single
        let white: Double
        let output: Matrix3
        switch target {
        case .sRGB:
            (isSRGB, white) = (true, PerceptualQuantizer.white)
            output = wide.matrix(to: standard)
        case .pq(let peak):
            (isSRGB, white) = (false, peak)
            output = Matrix3(columns: SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))
        }
        after = (output * Matrix3.lmsOfBT2020.inverse * (PerceptualQuantizer.peak / white)).single
        scale = Float(white / PerceptualQuantizer.peak)
        let tone = ToneCurve(from: space.assumedPeak, to: white)
        curve = (0...Self.curveSteps).map { Float(tone(Double($0) / Double(Self.curveSteps))) }
        decoded = Self.decodedLight
    }

    /// Converts rows of RGBA in place. Alpha doesn't change.
    func convert(_ rows: inout MutablePixelRows) {
        let words = PerceptualQuantizer.table
        for y in 0..<rows.count {
            if rows.format == .rgba8 {
                convert(rows.row(y, as: RGBA8.self), words.span)
            } else {
                convert(rows.row(y, as: RGBA16.self), words.span)
            }
        }
    }

    private func convert(_ row: consuming MutableSpan<RGBA8>, _ words: Span<Float>) {
        precondition(light.count == 256)
        let (light, curve, decoded) = (light.span, curve.span, decoded.span)
        let bytes = MatrixShaper.encodedBytes
        let encoded = bytes.span
        // Images have runs of equal pixels.
        var (last, result) = (RGBA8(0, 0, 0, 0), RGBA8(0, 0, 0, 0))
        var isFirst = true
        for x in 0..<row.count {
            let pixel = row[x]
            if isFirst || pixel.red != last.red || pixel.green != last.green || pixel.blue != last.blue {
                let color = mapped(
                    SIMD4(light[Int(pixel.red)], light[Int(pixel.green)], light[Int(pixel.blue)], 0), words, curve,
                    decoded)
                if isSRGB {
                    let index = MatrixShaper.index(color, steps: MatrixShaper.byteSteps)
                    result = RGBA8(encoded[Int(index.x)], encoded[Int(index.y)], encoded[Int(index.z)], 0)
                } else {
                    let light = color * scale
                    func byte(_ light: Float) -> UInt8 {
                        UInt8((Int(PerceptualQuantizer.word(light, words)) * 255 + 32767) / 65535)
                    }
                    result = RGBA8(byte(light.x), byte(light.y), byte(light.z), 0)
                }
                (last, isFirst) = (pixel, false)
            }
            row[x] = RGBA8(result.red, result.green, result.blue, pixel.alpha)
        }
    }

    private func convert(_ row: consuming MutableSpan<RGBA16>, _ words: Span<Float>) {
        precondition(light.count == 65536)
        let (light, curve, decoded) = (light.span, curve.span, decoded.span)
        let encodedWords = MatrixShaper.encodedWords
        let encoded = encodedWords.span
        for x in 0..<row.count {
            let pixel = row[x]
            let color = mapped(
                SIMD4(light[Int(pixel.red)], light[Int(pixel.green)], light[Int(pixel.blue)], 0), words, curve, decoded)
            if isSRGB {
                let index = MatrixShaper.index(color, steps: MatrixShaper.wordSteps)
                row[x] = RGBA16(encoded[Int(index.x)], encoded[Int(index.y)], encoded[Int(index.z)], pixel.alpha)
            } else {
                let light = color * scale
                row[x] = RGBA16(
                    PerceptualQuantizer.word(light.x, words), PerceptualQuantizer.word(light.y, words),
                    PerceptualQuantizer.word(light.z, words), pixel.alpha)
            }
        }
    }

    /// Returns the target's linear light, from 0 to 1, for linear light in the source's primaries.
    @inline(__always)
    private func mapped(
        _ stored: SIMD4<Float>, _ words: borrowing Span<Float>, _ curve: borrowing Span<Float>,
        _ decoded: borrowing Span<Float>
    ) -> SIMD4<Float> {
        var color = before * stored
        if isHLG {
            // The display's light is the scene's times a power of the scene's luminance (BT.2100, table 5).
            let luminance = max(0, 0.2627 * color.x + 0.678 * color.y + 0.0593 * color.z)
            color = responses * (color * Float(pow(Double(luminance), HybridLogGamma.systemGamma - 1)))
        }
        let response = SIMD4(
            PerceptualQuantizer.value(color.x, words), PerceptualQuantizer.value(color.y, words),
            PerceptualQuantizer.value(color.z, words), 0)
        var appearance = toICtCp * response
        let intensity = appearance.x
        let place = min(1, max(0, intensity)) * Float(Self.curveSteps)
        let index = min(Self.curveSteps - 1, Int(place))
        let low = curve[index]
        appearance.x = low + (curve[index + 1] - low) * (place - Float(index))
        // The curve never brightens, so the ratio is at most 1.
        let ratio = intensity > 0 ? appearance.x / intensity : 0
        appearance.y *= ratio
        appearance.z *= ratio
        let full = light(of: appearance, decoded)
        guard !Self.isInside(full) else { return Self.clamped(full) }
        // Bisects for the largest chroma inside the target's primaries: 0 is grey, which always is.
        var (inside, outside) = (Float(0), Float(1))
        var result = light(of: SIMD4(appearance.x, 0, 0, 0), decoded)
        for _ in 0..<18 {
            let middle = (inside + outside) / 2
            let trial = light(of: SIMD4(appearance.x, appearance.y * middle, appearance.z * middle, 0), decoded)
            if Self.isInside(trial) { (inside, result) = (middle, trial) } else { outside = middle }
        }
        return Self.clamped(result)
    }

    /// Returns the target's linear light for I, Ct, Cp.
    @inline(__always)
    private func light(of appearance: SIMD4<Float>, _ decoded: borrowing Span<Float>) -> SIMD4<Float> {
        let response = fromICtCp * appearance
        return after
            * SIMD4(
                Self.decoded(response.x, decoded), Self.decoded(response.y, decoded), Self.decoded(response.z, decoded),
                0)
    }

    @inline(__always)
    private static func decoded(_ value: Float, _ table: borrowing Span<Float>) -> Float {
        let place = min(1, max(0, value)) * Float(decodedSteps)
        let index = min(decodedSteps - 1, Int(place))
        let low = table[index]
        return low + (table[index + 1] - low) * (place - Float(index))
    }

    /// Whether all channels are from 0 to 1, within the precision of the tables.
    @inline(__always)
    private static func isInside(_ color: SIMD4<Float>) -> Bool {
        let lowest = min(color.x, min(color.y, color.z))
        let highest = max(color.x, max(color.y, color.z))
        return lowest >= -0.0005 && highest <= 1.0005
    }

    @inline(__always)
    private static func clamped(_ color: SIMD4<Float>) -> SIMD4<Float> {
        color.replacing(with: 0, where: color .< 0).replacing(with: 1, where: color .> 1)
    }
}

extension LinearColorSpace {
    /// The primaries of `space`, which `profile` has: by their code, or else by the profile's tags.
    init?(_ space: HighDynamicRangeSpace, of profile: ColorProfile) {
        if let points = ColorProfile.Chromaticities(primaries: Int(space.primaries)) {
            self.init(.calibrated(gamma: 1, points))
        } else {
            self.init(profile)
        }
    }
}
