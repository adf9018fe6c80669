internal import CTesseraLibLCMS
internal import Platform
internal import Raster

extension ColorProfile {
    /// Returns the profile for the code points of video (ISO/IEC 23091-2, 8.1 and 8.2) that HEIF and AVIF use.
    ///
    /// Unspecified and unknown codes are treated as sRGB, and so is the camera curve of BT.709 and its variants, as
    /// other viewers do. PQ and HLG become profiles with their code points (`HighDynamicRangeSpace`), whose curves clip
    /// values above diffuse white, 203 candela per square metre (ITU-R BT.2408), for programs that only read curves. In
    /// SMPTE ST 428-1 white is 48 of the 52.37 candela that
    /// values reach; lighter ones are clipped.
    ///
    /// - Parameters:
    ///   - isGray: Whether there is only luma.
    ///   - peak: For PQ, the brightest light of the content in candela per square metre, if it is known.
    static func coded(primaries: Int, transfer: Int, isGray: Bool, peak: Double? = nil) -> ColorProfile {
        coded(Chromaticities(primaries: primaries) ?? .sRGB, transfer: transfer, isGray: isGray, peak: peak)
    }

    /// Returns the profile for a code of a transfer function, and primaries that needn't have a code.
    /// - Parameters:
    ///   - range: The values for black and white.
    ///   - peak: For PQ, the brightest light of the content in candela per square metre, if it is known.
    static func coded(
        _ chromaticities: Chromaticities, transfer: Int, isGray: Bool, range: CodedRange = .full, peak: Double? = nil
    ) -> ColorProfile {
        let curve = Curve(transfer: transfer)
        if isGray || chromaticities.isSRGB, case .sRGB = curve, range == .full { return .sRGB }
        let space = UInt8(exactly: transfer).flatMap { HighDynamicRangeSpace.Transfer(rawValue: $0) }.map {
            HighDynamicRangeSpace(
                primaries: isGray ? 2 : chromaticities.code ?? 2, transfer: $0, isFullRange: range == .full,
                peak: $0 == .pq ? peak.flatMap { HighDynamicRangeSpace.validPeak($0) } : nil)
        }
        return profile(isGray ? nil : chromaticities, curve, range, space) ?? .sRGB
    }

    /// The values for black and for white, as fractions of the samples' maximum.
    struct CodedRange: Equatable {
        let black: Double
        let white: Double

        /// The samples' full range.
        static let full = CodedRange(black: 0, white: 1)

        /// Returns the narrow range of video (ISO/IEC 23091-2, 8.3): 16 to 235 of eight bits.
        static func narrow(bits: Int) -> CodedRange {
            let largest = Double(1 << bits) - 1
            let unit = Double(1 << bits) / 256
            return CodedRange(black: 16 * unit / largest, white: 235 * unit / largest)
        }
    }

    /// A transfer function: converts values to linear light.
    private enum Curve {
        case sRGB
        case gamma(Double)
        case table((Double) -> Double)

        init(transfer: Int) {
            switch transfer {
            case 4: self = .gamma(2.2)
            case 5: self = .gamma(2.8)
            case 8: self = .gamma(1)
            case 16: self = .table { PerceptualQuantizer.light($0) * 10000 / PerceptualQuantizer.white }
            case 17: self = .table { pow($0, 2.6) * 52.37 / 48 }
            case 18:
                self = .table { HybridLogGamma.displayLight($0) * HybridLogGamma.peak / PerceptualQuantizer.white }
            default: self = .sRGB
            }
        }

        /// Returns the linear light for a value; 1 is white.
        func light(_ value: Double) -> Double {
            switch self {
            case .sRGB: TransferCurve.light(stored: value)
            case .gamma(let gamma): pow(value, gamma)
            case .table(let light): light(value)
            }
        }

        /// Creates lcms2's curve, which the caller must free.
        func built(_ range: CodedRange, in context: ICCContext) -> OpaquePointer? {
            switch self {
            case .sRGB where range == .full:
                return context.makeSRGBCurve()
            case .gamma(let gamma) where range == .full:
                return cmsBuildGamma(context.handle, gamma)
            default:
                let values = (0..<4096).map { step in
                    let value = (Double(step) / 4095 - range.black) / (range.white - range.black)
                    return UInt16((min(1, max(0, light(min(1, max(0, value))))) * 65535).rounded())
                }
                return cmsBuildTabulatedToneCurve16(context.handle, 4096, values)
            }
        }
    }

    /// Returns an ICC profile for RGB, or for grey if there are no chromaticities.
    private static func profile(
        _ chromaticities: Chromaticities?, _ curve: Curve, _ range: CodedRange, _ space: HighDynamicRangeSpace?
    ) -> ColorProfile? {
        guard let context = ICCContext(), let built = curve.built(range, in: context) else { return nil }
        defer { cmsFreeToneCurve(built) }
        let opened =
            if let chromaticities { chromaticities.profile(built, in: context) } else {
                cmsCreateGrayProfileTHR(context.handle, cmsD50_xyY(), built)
            }
        guard let made = opened else { return nil }
        defer { cmsCloseProfile(made) }
        space?.write(to: made)
        return saved(made)
    }

    /// Returns the profile of PQ with a peak for tone mapping, in candela per square metre; the same if it has no tags.
    func withPeak(_ peak: Double) -> ColorProfile {
        guard var space = HighDynamicRangeSpace(self), case .icc(let bytes) = self, let profile = ICCProfile(bytes)
        else {
            return self
        }
        space.peak = peak
        space.write(to: profile.handle)
        return Self.saved(profile.handle) ?? self
    }

    private static func saved(_ made: cmsHPROFILE) -> ColorProfile? {
        var byteCount: cmsUInt32Number = 0
        guard cmsSaveProfileToMem(made, nil, &byteCount) != 0, byteCount > 128 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(byteCount))
        // lcms2 writes at most `byteCount` bytes.
        guard bytes.withUnsafeMutableBytes({ cmsSaveProfileToMem(made, $0.baseAddress, &byteCount) }) != 0 else {
            return nil
        }
        // The creation date (ICC.1, 7.2.8) is fixed, so that profiles of the same colours are equal.
        bytes.replaceSubrange(24..<36, with: [0x07, 0xD0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])
        return .icc(bytes)
    }
}

extension ColorProfile.Chromaticities {
    /// The primaries and white point of a code (ISO/IEC 23091-2, table 2); nil for an unknown one.
    init?(primaries: Int) {
        let television = Point(x: 0.3127, y: 0.329)
        let filmWhite = Point(x: 0.31, y: 0.316)
        func make(_ values: [Double], _ white: Point) -> Self {
            Self(
                white: white, red: Point(x: values[0], y: values[1]), green: Point(x: values[2], y: values[3]),
                blue: Point(x: values[4], y: values[5]))
        }
        switch primaries {
        case 1: self = .sRGB
        case 4: self = make([0.67, 0.33, 0.21, 0.71, 0.14, 0.08], filmWhite)
        case 5: self = make([0.64, 0.33, 0.29, 0.6, 0.15, 0.06], television)
        case 6, 7: self = make([0.63, 0.34, 0.31, 0.595, 0.155, 0.07], television)
        case 8: self = make([0.681, 0.319, 0.243, 0.692, 0.145, 0.049], filmWhite)
        case 9: self = make([0.708, 0.292, 0.17, 0.797, 0.131, 0.046], television)
        case 11: self = make([0.68, 0.32, 0.265, 0.69, 0.15, 0.06], Point(x: 0.314, y: 0.351))
        case 12: self = make([0.68, 0.32, 0.265, 0.69, 0.15, 0.06], television)
        case 22: self = make([0.63, 0.34, 0.295, 0.605, 0.155, 0.077], television)
        default: return nil
        }
    }

    /// The code of the primaries and white point, if there is one. Coordinates may differ by 0.001 from it.
    var code: UInt8? {
        func points(_ other: Self) -> [Point] { [other.white, other.red, other.green, other.blue] }
        return ([1, 4, 5, 6, 8, 9, 11, 12, 22] as [UInt8]).first { code in
            guard let known = Self(primaries: Int(code)) else { return false }
            return zip(points(self), points(known)).allSatisfy {
                abs($0.x - $1.x) <= 0.001 && abs($0.y - $1.y) <= 0.001
            }
        }
    }
}
