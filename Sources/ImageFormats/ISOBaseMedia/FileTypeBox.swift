/// The first box of a file in the ISO base media family, which lists its brands (ISO/IEC 14496-12, 4.3).
package struct FileTypeBox {
    /// The specification that suits the file best.
    package let majorBrand: FourCharacterCode
    /// The major brand's version; in a file of one minimized image, the brand of its coding.
    let minorVersion: FourCharacterCode
    /// Further specifications that the file conforms to.
    package let compatibleBrands: [FourCharacterCode]

    /// The result of reading a file's first bytes.
    package enum Reading {
        /// The box was found.
        case found(FileTypeBox)
        /// There are too few bytes to decide.
        case needMoreData(minimum: Int)
        /// The file is of another kind.
        case absent
    }

    /// The maximum length accepted: a brand takes four bytes, and files list only a few.
    private static let maximumByteCount = 1 << 12

    /// Reads the box at the beginning of `probe`.
    package static func read(_ probe: borrowing FormatProbe) -> Reading {
        let count = probe.prefix.byteCount
        let isWhole = probe.isWhole
        // The upper half of the length is 0, which rules out most other formats by their first byte.
        for offset in 0..<min(2, count)
        where probe.prefix.unsafeLoad(fromByteOffset: offset, as: UInt8.self) != 0 {
            return .absent
        }
        guard count >= 8 else { return isWhole ? .absent : .needMoreData(minimum: 12) }
        let length = Int(probe.prefix.bigEndianUInt32(at: 0))
        guard probe.prefix.bigEndianUInt32(at: 4) == FourCharacterCode("ftyp").rawValue,
            (16...maximumByteCount).contains(length)
        else { return .absent }
        guard count >= length else { return isWhole ? .absent : .needMoreData(minimum: length) }
        var compatible: [FourCharacterCode] = []
        for offset in stride(from: 16, through: length - 4, by: 4) {
            compatible.append(FourCharacterCode(rawValue: probe.prefix.bigEndianUInt32(at: offset)))
        }
        let major = FourCharacterCode(rawValue: probe.prefix.bigEndianUInt32(at: 8))
        let minor = FourCharacterCode(rawValue: probe.prefix.bigEndianUInt32(at: 12))
        return .found(FileTypeBox(majorBrand: major, minorVersion: minor, compatibleBrands: compatible))
    }

    /// Matches the box against `format`, for the format's codec.
    /// - Parameter isSequence: Whether a file with this box is an animation.
    static func match(
        _ probe: borrowing FormatProbe, _ format: ImageFormat, isSequence: (FileTypeBox) -> Bool
    ) -> FormatMatch {
        switch read(probe) {
        case .found(let box): box.imageFormat == format ? .match(format, isSequence(box) ? .animated : []) : .unknown
        case .needMoreData(let minimum): .needMoreData(minimum: minimum)
        case .absent: .unknown
        }
    }

    /// The image format that the brands indicate; nil if none.
    ///
    /// The first brand that specifies a coding decides, starting with the major brand; otherwise any general HEIF brand
    /// means HEIF.
    package var imageFormat: ImageFormat? {
        let brands = [majorBrand] + (isMinimized ? [minorVersion] : []) + compatibleBrands
        for brand in brands {
            if Self.av1Brands.contains(brand) { return .avif }
            if Self.hevcBrands.contains(brand) { return .heic }
        }
        return brands.contains { Self.generalBrands.contains($0) } ? .heif : nil
    }

    /// Whether the file has a `mini` box in place of a `meta` box (ISO/IEC 23008-12, amendment for low-overhead files).
    var isMinimized: Bool { majorBrand == "mif3" }

    /// Whether the file is an AV1 image sequence.
    var isAVIFSequence: Bool { majorBrand == "avis" || (majorBrand != "avif" && compatibleBrands.contains("avis")) }

    /// Whether the file is primarily an HEVC image sequence.
    var isHEVCSequence: Bool {
        let sequences: Set<FourCharacterCode> = ["hevc", "hevx"]
        if sequences.contains(majorBrand) { return true }
        let stills: Set<FourCharacterCode> = ["heic", "heix", "mif1", "mif2", "mif3"]
        return !stills.contains(majorBrand) && compatibleBrands.contains { sequences.contains($0) }
    }

    /// AV1 (AVIF 1.1, section 6).
    private static let av1Brands: Set<FourCharacterCode> = ["avif", "avis"]
    /// HEVC (ISO/IEC 23008-12, annex B): images and sequences, including multilayer and multiview ones.
    private static let hevcBrands: Set<FourCharacterCode> = [
        "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs",
    ]
    /// HEIF with any coding (ISO/IEC 23008-12, section 10), and with AVC (annex E).
    private static let generalBrands: Set<FourCharacterCode> = ["mif1", "mif2", "mif3", "msf1", "avci", "avcs"]
}
