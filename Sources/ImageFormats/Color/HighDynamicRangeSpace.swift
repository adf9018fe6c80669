internal import CTesseraLibLCMS
public import Raster

/// The meaning of values in PQ or HLG, which a profile has beside its curves: the code points in the tag `cicp` (ICC.1:2022,
/// 9.2.17), and the peak of the content in the tag `lumi`.
///
/// The profile's own curves end at white, for programs that don't read the tag.
struct HighDynamicRangeSpace: Hashable {
    /// A transfer function by its code (ISO/IEC 23091-2, 8.2).
    enum Transfer: UInt8 {
        case pq = 16
        case hlg = 18
    }

    /// The code of the primaries (ISO/IEC 23091-2, 8.1); 2 for those of the profile's other tags.
    var primaries: UInt8
    /// The transfer function.
    var transfer: Transfer
    /// Whether black and white are at the ends of the samples' range.
    var isFullRange = true
    /// The brightest light of the content in candela per square metre; nil if it is unknown.
    var peak: Double?

    init(primaries: UInt8, transfer: Transfer, isFullRange: Bool = true, peak: Double? = nil) {
        self.primaries = primaries
        self.transfer = transfer
        self.isFullRange = isFullRange
        self.peak = peak
    }

    /// Reads the tags of `profile`; nil for one in standard range.
    init?(_ profile: ColorProfile) {
        guard case .icc(let bytes) = profile, let codes = Self.tag("cicp", of: bytes, byteCount: 12),
            codes.prefix(4).elementsEqual("cicp".utf8)
        else { return nil }
        let values = Array(codes.dropFirst(8))
        guard let transfer = Transfer(rawValue: values[1]), values[2] == 0, values[3] <= 1 else { return nil }
        self.init(primaries: values[0], transfer: transfer, isFullRange: values[3] == 1)
        if let luminance = Self.tag("lumi", of: bytes, byteCount: 20), luminance.prefix(4).elementsEqual("XYZ ".utf8),
            let fixed = Array(luminance).bigEndian(at: 12, byteCount: 4), fixed < 1 << 31
        {
            peak = Self.validPeak(Double(fixed) / 65536)
        }
    }

    /// The code of the primaries; nil if they have none.
    var codedPrimaries: UInt8? {
        ColorProfile.Chromaticities(primaries: Int(primaries)) == nil ? nil : primaries
    }

    /// The codes of primaries and transfer function for files that have no other description; nil if there are none.
    func nclx(isGray: Bool) -> (primaries: UInt16, transfer: UInt16)? {
        guard isFullRange, let primaries = isGray ? 9 : codedPrimaries else { return nil }
        return (UInt16(primaries), UInt16(transfer.rawValue))
    }

    /// The peak for tone mapping: that of the content, or else of the signal, so that nothing is clipped.
    var assumedPeak: Double {
        switch transfer {
        case .pq: peak ?? PerceptualQuantizer.peak
        // The peak of the display for which the values are converted.
        case .hlg: HybridLogGamma.peak
        }
    }

    /// Returns the space of pixels converted for `range`, which is high: PQ in BT.2020's primaries, with the peak that the
    /// headroom allows. The same if that is the case already.
    func limited(to range: DynamicRange, isGray: Bool) -> HighDynamicRangeSpace {
        guard case .high(let headroom) = range else { return self }
        let limit = max(1, headroom) * PerceptualQuantizer.white
        let isWide = isGray || primaries == 9
        guard transfer != .pq || !isWide || !isFullRange || assumedPeak > limit else { return self }
        let isKnown = transfer == .hlg || peak != nil || limit < assumedPeak
        return HighDynamicRangeSpace(
            primaries: isGray ? primaries : 9, transfer: .pq, peak: isKnown ? min(assumedPeak, limit) : nil)
    }

    /// Returns the light for a value in the full range: for PQ that of the display relative to 10,000 candela per square
    /// metre, for HLG that of the scene.
    func light(_ value: Double) -> Double {
        switch transfer {
        case .pq: PerceptualQuantizer.light(value)
        case .hlg: HybridLogGamma.sceneLight(value)
        }
    }

    /// Returns the light of the display for a grey value, relative to 10,000 candela per square metre.
    func grayLight(_ value: Double) -> Double {
        switch transfer {
        case .pq: PerceptualQuantizer.light(value)
        case .hlg: HybridLogGamma.displayLight(value) * HybridLogGamma.peak / PerceptualQuantizer.peak
        }
    }

    /// The samples' values for black and white.
    func range(bits: Int) -> ColorProfile.CodedRange { isFullRange ? .full : .narrow(bits: bits) }

    /// `peak` if it is a luminance that PQ can have and that exceeds none at all; nil otherwise.
    static func validPeak(_ peak: Double) -> Double? { peak >= 1 && peak <= PerceptualQuantizer.peak ? peak : nil }

    /// Adds the tags to a profile of lcms2's.
    func write(to profile: cmsHPROFILE) {
        // lcms2 2.14 writes four bytes too many by its own type.
        let codes = Array("cicp".utf8) + [0, 0, 0, 0, primaries, transfer.rawValue, 0, isFullRange ? 1 : 0]
        // lcms2 copies the bytes.
        cmsWriteRawTag(profile, cmsSigcicpTag, codes, cmsUInt32Number(codes.count))
        guard let peak else { return }
        var luminance = cmsCIEXYZ(X: 0, Y: peak, Z: 0)
        cmsWriteTag(profile, cmsSigLuminanceTag, &luminance)
    }

    /// The first `byteCount` bytes of a tag's data (ICC.1, 7.3); nil if the profile hasn't as many.
    private static func tag(_ name: String, of profile: [UInt8], byteCount: Int) -> ArraySlice<UInt8>? {
        guard profile.count >= 132, let count = profile.bigEndian(at: 128, byteCount: 4) else { return nil }
        // Profiles have about 20 tags.
        for index in 0..<min(count, 100) {
            let entry = 132 + 12 * index
            guard entry + 12 <= profile.count else { return nil }
            guard profile[entry..<(entry + 4)].elementsEqual(name.utf8) else { continue }
            guard let offset = profile.bigEndian(at: entry + 4, byteCount: 4), offset <= profile.count - byteCount
            else {
                return nil
            }
            return profile[offset..<(offset + byteCount)]
        }
        return nil
    }
}

extension ColorProfile {
    /// Whether values can be brighter than white: PQ or HLG by the profile's code points.
    ///
    /// Files with such code points, and ICC profiles with a `cicp` tag, have such a profile.
    public var isHighDynamicRange: Bool { HighDynamicRangeSpace(self) != nil }

    /// The transfer function, primaries and peak as a line for people; nil in standard range.
    package var highDynamicRangeName: String? {
        guard let space = HighDynamicRangeSpace(self) else { return nil }
        let names: [UInt8: String] = [1: ", BT.709", 9: ", BT.2020", 11: ", DCI-P3", 12: ", Display P3"]
        let peak = space.peak.map { ", up to \(Int($0.rounded())) cd/m²" } ?? ""
        return (space.transfer == .pq ? "PQ" : "HLG") + (names[space.primaries] ?? "") + peak
    }

    /// Whether it is an ICC profile for grey.
    var isForGray: Bool { if case .icc(let bytes) = self { bytes.isICCProfile(for: .gray) } else { false } }

    /// The profile of pixels converted for `range`: sRGB, or one in high dynamic range if this is one.
    package func converted(for range: DynamicRange) -> ColorProfile {
        guard let space = HighDynamicRangeSpace(self), range != .standard else { return .sRGB }
        let limited = space.limited(to: range, isGray: isForGray)
        guard limited != space else { return self }
        return .coded(
            primaries: 9, transfer: Int(HighDynamicRangeSpace.Transfer.pq.rawValue), isGray: isForGray,
            peak: limited.peak)
    }
}

extension ToneTable {
    /// Creates a table of grey values in PQ or HLG, compressed to `target`.
    init(_ space: HighDynamicRangeSpace, to target: ToneMapper.Target, bits: Int) {
        let range = space.range(bits: bits)
        let white: Double
        switch target {
        case .sRGB: white = PerceptualQuantizer.white
        case .pq(let peak): white = peak
        }
        let curve = ToneCurve(from: space.assumedPeak, to: white)
        self.init(bits: bits) { stored in
            let value = min(1, max(0, (stored - range.black) / (range.white - range.black)))
            let mapped = curve(PerceptualQuantizer.value(space.grayLight(value)))
            guard target == .sRGB else { return mapped }
            return TransferCurve.stored(light: PerceptualQuantizer.light(mapped) * PerceptualQuantizer.peak / white)
        }
    }
}
