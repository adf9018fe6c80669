internal import Raster

/// Data of the chunks before the image data: palette, transparency, colour space and metadata.
///
/// An invalid chunk is ignored, as the standard recommends; only an invalid palette makes an indexed image unreadable.
struct PNGAncillaryData {
    /// The palette of an indexed image: red, green and blue in turn.
    private(set) var palette: [UInt8]?
    /// The data of tRNS, which depends on the colour type and may precede the palette.
    private(set) var transparency: [UInt8]?
    private(set) var exif: [UInt8]?
    private(set) var xmp: [UInt8]?
    private(set) var resolution: ImageMetadata.Resolution?
    private(set) var animation: PNGAnimationControl?
    private var gamma: Double?
    private var chromaticities: ColorProfile.Chromaticities?
    private var isStandardRGB = false
    /// The code points in a cICP chunk, if they are known ones.
    private var coded: CodedColors?
    /// The largest luminances of the content and of the display that it was made on.
    private var lightLevel: Int?
    private var displayPeak: Int?
    private var icc: [UInt8]?

    /// Whether chunks of a type are used, so that their data must be kept.
    static func wants(_ type: PNGChunkType) -> Bool {
        switch type {
        case .palette, .transparency, .gamma, .chromaticities, .standardRGB, .codingPoints, .contentLightLevel,
            .masteringDisplay, .profile, .exif, .physicalSize, .internationalText, .animationControl:
            true
        default: false
        }
    }

    // A second one isn't decompressed: a thousand of them in a small file would take seconds.
    private var hasProfile = false
    private var hasXMP = false

    private static let xmpKeyword = Array("XML:com.adobe.xmp".utf8) + [0]

    /// Reads a chunk; ignores any but the first of most types.
    /// - Throws: `corrupt` for an invalid palette of an indexed image.
    mutating func read(
        _ type: PNGChunkType, _ data: [UInt8], header: PNGHeader, limits: DecodingLimits, offset: Int
    ) throws(ImageError) {
        switch type {
        case .palette:
            guard palette == nil else { return }
            let isRight = data.count % 3 == 0 && !data.isEmpty && data.count <= 768
            guard isRight || header.colorType != .indexed else {
                throw ImageError(.corrupt, "the PNG palette has \(data.count) bytes", byteOffset: offset)
            }
            palette = isRight ? data : nil
        case .transparency: transparency = transparency ?? data
        case .exif: exif = exif ?? EXIF.withoutPrefix(data)
        case .physicalSize where resolution == nil && data.count == 9 && data[8] == 1:
            let (x, y) = (Self.number(data, 0), Self.number(data, 4))
            guard x > 0, y > 0 else { return }
            resolution = .init(horizontal: Double(x) * 0.0254, vertical: Double(y) * 0.0254)
        case .gamma where gamma == nil && data.count == 4 && Self.number(data, 0) > 0:
            gamma = Double(Self.number(data, 0)) / 100_000
        case .chromaticities where chromaticities == nil && data.count == 32:
            let points = (0..<4).map { index in
                ColorProfile.Chromaticities.Point(
                    x: Double(Self.number(data, 8 * index)) / 100_000,
                    y: Double(Self.number(data, 8 * index + 4)) / 100_000)
            }
            guard points.allSatisfy({ $0.y > 0 && $0.x <= 1 && $0.y <= 1 }) else { return }
            chromaticities = .init(white: points[0], red: points[1], green: points[2], blue: points[3])
        case .standardRGB where data.count == 1: isStandardRGB = true
        case .codingPoints where coded == nil: coded = Self.coded(data, header)
        case .contentLightLevel where lightLevel == nil && data.count == 8: lightLevel = Self.number(data, 0)
        case .masteringDisplay where displayPeak == nil && data.count == 24: displayPeak = Self.number(data, 16)
        case .profile where !hasProfile:
            hasProfile = true
            icc = Self.profile(data, isGray: header.colorType.isGray, limits: limits)
        case .animationControl: animation = animation ?? PNGAnimationControl(data)
        case .internationalText where !hasXMP && data.starts(with: Self.xmpKeyword):
            hasXMP = true
            xmp = Self.xmp(data, limits: limits)
        default: break
        }
    }

    private static func number(_ data: [UInt8], _ offset: Int) -> Int {
        data.bigEndian(at: offset, byteCount: 4)!
    }

    /// The colour space in a cICP chunk; nil for reserved, unspecified and unsupported code points, and for a matrix,
    /// which PNG doesn't allow (third edition, 11.3.2.6).
    private static func coded(_ data: [UInt8], _ header: PNGHeader) -> CodedColors? {
        // The transfer functions that can be converted from, and those of cameras, which are displayed as sRGB.
        let transfers: Set<UInt8> = [1, 4, 5, 6, 8, 13, 14, 15, 16, 17, 18]
        guard data.count == 4, transfers.contains(data[1]), data[2] == 0, data[3] <= 1,
            let chromaticities = ColorProfile.Chromaticities(primaries: Int(data[0]))
        else { return nil }
        let bits = header.colorType == .indexed ? 8 : header.bitDepth
        return CodedColors(
            chromaticities: chromaticities, transfer: Int(data[1]), isGray: header.colorType.isGray,
            range: data[3] == 1 ? .full : .narrow(bits: bits))
    }

    private struct CodedColors {
        let chromaticities: ColorProfile.Chromaticities
        let transfer: Int
        let isGray: Bool
        let range: ColorProfile.CodedRange
    }

    /// The ICC profile in an iCCP chunk, if it fits the colour model.
    private static func profile(_ data: [UInt8], isGray: Bool, limits: DecodingLimits) -> [UInt8]? {
        guard let nameEnd = data.prefix(80).firstIndex(of: 0), nameEnd > 0, nameEnd + 2 <= data.count,
            data[nameEnd + 1] == 0,
            let icc = PNGInflater.unpack(data[(nameEnd + 2)...], limit: limits.maximumMetadataByteCount)
        else { return nil }
        // ICC.1:2010, 7.2: the size and the signature.
        guard icc.isICCProfile(for: isGray ? .gray : .rgb), number(icc, 0) <= icc.count,
            icc[36..<40].elementsEqual(Array("acsp".utf8))
        else { return nil }
        return icc
    }

    /// The XMP packet in an iTXt chunk with XMP's keyword.
    private static func xmp(_ data: [UInt8], limits: DecodingLimits) -> [UInt8]? {
        let keyword = xmpKeyword
        guard data.count >= keyword.count + 4 else { return nil }
        let (isCompressed, method) = (data[keyword.count], data[keyword.count + 1])
        // A language and a translated keyword, each ended by a zero, precede the text.
        guard let language = data[(keyword.count + 2)...].firstIndex(of: 0),
            let translation = data[(language + 1)...].firstIndex(of: 0)
        else { return nil }
        let text = data[(translation + 1)...]
        if isCompressed == 0 { return Array(text) }
        return method == 0 ? PNGInflater.unpack(text, limit: limits.maximumMetadataByteCount) : nil
    }

    /// The colour space of the image. PNG, third edition, 4.3: cICP before iCCP before sRGB before gAMA and cHRM.
    var colorProfile: ColorProfile {
        if let coded {
            // Both are in units of 0.0001 candela per square metre; 0 means unknown.
            let peaks = [lightLevel, displayPeak].lazy.compactMap { $0 }
                .compactMap { HighDynamicRangeSpace.validPeak(Double($0) / 10000) }
            return .coded(
                coded.chromaticities, transfer: coded.transfer, isGray: coded.isGray, range: coded.range,
                peak: peaks.first)
        }
        if let icc { return .icc(icc) }
        if isStandardRGB { return .sRGB }
        let isPlain = chromaticities.map { $0.isSRGB } ?? true
        // A gamma of 0.45455 without other primaries denoted sRGB before the sRGB chunk existed.
        if abs((gamma ?? 0.45455) - 0.45455) < 0.00002, isPlain { return .sRGB }
        return .calibrated(gamma: gamma ?? 0.45455, isPlain ? nil : chromaticities)
    }
}
