internal import ImageFormats

/// Tells videos by their first bytes.
enum VideoSignature {
    /// What the bytes are, as a codec would say it.
    static func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch FileTypeBox.read(probe) {
        case .found(let box): format(of: box).map { .match($0) } ?? .unknown
        case .needMoreData(let minimum): .needMoreData(minimum: minimum)
        case .absent: EBMLHeader.identify(probe)
        }
    }

    /// The major brand decides where it says what the file is; else the first compatible brand that does.
    private static func format(of box: FileTypeBox) -> ImageFormat? {
        // Sequences of pictures keep to the general brands too.
        guard box.imageFormat == nil, !audioBrands.contains(box.majorBrand) else { return nil }
        for brand in [box.majorBrand] + box.compatibleBrands {
            if brand == "qt  " { return .quickTime }
            if m4vBrands.contains(brand) { return .m4v }
            if mp4Brands.contains(brand) { return .mp4 }
        }
        return nil
    }

    private static let audioBrands: Set<FourCharacterCode> = ["M4A ", "M4B ", "M4P ", "F4A ", "F4B "]
    private static let m4vBrands: Set<FourCharacterCode> = ["M4V ", "M4VH", "M4VP"]
    /// The base format and what is built on it (ISO/IEC 14496-12, annex E; the MP4 registration authority's list).
    private static let mp4Brands: Set<FourCharacterCode> = [
        "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "isoa", "isob", "isoc",
        "mp41", "mp42", "mp71", "avc1", "hvc1", "hev1", "av01", "dash", "MSNV", "mmp4", "F4V ", "XAVC",
    ]
}
