/// What a file of the ISO base media family says of itself in its first box (ISO/IEC 14496-12, 4.3).
package struct FileTypeBox {
    /// The specification that the file is best read by.
    package let majorBrand: FourCharacterCode
    /// Others that it keeps to as well.
    package let compatibleBrands: [FourCharacterCode]

    /// What the first bytes of a file came to.
    package enum Reading {
        /// The box.
        case found(FileTypeBox)
        /// Too few bytes to tell.
        case needMoreData(minimum: Int)
        /// Another kind of file.
        case absent
    }

    /// Longer boxes than this are none: a brand takes four bytes, and files name a handful.
    private static let maximumByteCount = 1 << 12

    /// Looks for the box at the beginning of `probe`.
    package static func read(_ probe: borrowing FormatProbe) -> Reading {
        let count = probe.prefix.byteCount
        let isWhole = probe.isWhole
        // The length's upper half is 0: most other formats are told apart by their first byte.
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
        return .found(FileTypeBox(majorBrand: major, compatibleBrands: compatible))
    }

    /// What the box says to the codec of `format`.
    /// - Parameter isSequence: Whether a file with such a box holds frames.
    static func match(
        _ probe: borrowing FormatProbe, _ format: ImageFormat, isSequence: (FileTypeBox) -> Bool
    ) -> FormatMatch {
        switch read(probe) {
        case .found(let box): box.imageFormat == format ? .match(format, isSequence(box) ? .animated : []) : .unknown
        case .needMoreData(let minimum): .needMoreData(minimum: minimum)
        case .absent: .unknown
        }
    }

    /// The format that the brands come to; nil where it is none for pictures.
    ///
    /// The major brand decides where it names a coding; else the first compatible brand that does; a file that only
    /// says that it is HEIF is that.
    package var imageFormat: ImageFormat? {
        let brands = [majorBrand] + compatibleBrands
        for brand in brands {
            if Self.av1Brands.contains(brand) { return .avif }
            if Self.hevcBrands.contains(brand) { return .heic }
        }
        return brands.contains { Self.generalBrands.contains($0) } ? .heif : nil
    }

    /// Whether it holds frames of AV1 to be shown one after the other.
    var isAVIFSequence: Bool { majorBrand == "avis" || (majorBrand != "avif" && compatibleBrands.contains("avis")) }

    /// Whether it holds frames of HEVC to be shown one after the other, before any still.
    var isHEVCSequence: Bool {
        let sequences: Set<FourCharacterCode> = ["hevc", "hevx"]
        if sequences.contains(majorBrand) { return true }
        let stills: Set<FourCharacterCode> = ["heic", "heix", "mif1", "mif2"]
        return !stills.contains(majorBrand) && compatibleBrands.contains { sequences.contains($0) }
    }

    /// AV1 (AVIF 1.1, section 6).
    private static let av1Brands: Set<FourCharacterCode> = ["avif", "avis"]
    /// HEVC (ISO/IEC 23008-12, annex B): pictures, sequences, several layers and views of each.
    private static let hevcBrands: Set<FourCharacterCode> = [
        "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs",
    ]
    /// HEIF of any coding (ISO/IEC 23008-12, section 10).
    private static let generalBrands: Set<FourCharacterCode> = ["mif1", "mif2", "msf1"]
}
