internal import Raster

extension CodecRegistry {
    /// Returns the error for `probe`, which no codec reads. The error names the format if it is known.
    /// - Returns: `unsupported` if the codec lacks a library or program that it needs, else `unknownFormat`.
    package func refusal(of probe: borrowing FormatProbe) -> ImageError {
        guard probe.prefix.byteCount > 0 else { return ImageError(.unknownFormat, "there are no bytes") }
        for format in formats {
            guard let codec = codec(for: format), let reason = codec.missingRequirement,
                case .match = codec.identify(probe)
            else { continue }
            return ImageError(.unsupported, reason)
        }
        return ImageError(
            .unknownFormat,
            ForeignFormat.refusal(of: probe) ?? "the bytes are not in any format that can be read here")
    }
}

/// Recognizes well-known formats that may not be readable here, so that an error can name them.
///
/// Not a way to identify formats: codecs come first, and bytes unknown here can be anything.
enum ForeignFormat {
    /// Returns the text of an error for the bytes; nil if the format is unknown.
    static func refusal(of probe: borrowing FormatProbe) -> String? {
        if let name = imageName(probe) { return "\(name) can't be read here" }
        if let name = otherName(probe) { return "the bytes are \(name), not an image" }
        return nil
    }

    // MARK: Images

    private static func imageName(_ probe: borrowing FormatProbe) -> String? {
        if let name = name(probe, in: images) { return name }
        for format in ImageFormat.all where format.signatures.contains(where: { probe.has($0, at: 0) }) {
            return format.name
        }
        if isFloatMap(probe) { return "PFM (Netpbm's floating-point numbers)" }
        if case .match = PNMCodec().identify(probe) { return ImageFormat.pnm.name }
        if probe.has(TGAAlpha.signature, fromEnd: TGAAlpha.signature.count) { return ImageFormat.tga.name }
        if probe.has([1], at: 0), probe.has(" EMF".utf8, at: 40) { return "EMF" }
        if probe.has("RIFF".utf8, at: 0), probe.has("WEBP".utf8, at: 8) { return "WebP" }
        if probe.has("RIFF".utf8, at: 0), probe.has("ACON".utf8, at: 8) { return "ANI (animated cursors)" }
        guard case .found(let box) = FileTypeBox.read(probe) else { return nil }
        if box.majorBrand == "crx " { return "raw data of a Canon camera (CR3)" }
        return box.imageFormat?.name
    }

    /// Signatures of image formats.
    private static let images: [Signature] = [
        Signature([0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20], "JPEG 2000"),
        Signature([0xFF, 0x4F, 0xFF, 0x51], "JPEG 2000"),
        Signature([0x49, 0x49, 0xBC], "JPEG XR"),
        Signature([0x49, 0x49, 43, 0], "BigTIFF"),
        Signature([0x4D, 0x4D, 0, 43], "BigTIFF"),
        Signature("gimp xcf ", "XCF (GIMP)"),
        Signature("FLIF", "FLIF"),
        Signature("DDS ", "DDS"),
        Signature([0xAB] + Array("KTX 11".utf8), "KTX"),
        Signature([0xAB] + Array("KTX 20".utf8), "KTX 2"),
        Signature("farbfeld", "farbfeld"),
        Signature([0x42, 0x50, 0x47, 0xFB], "BPG"),
        Signature([0x8A] + Array("MNG\r\n".utf8), "MNG"),
        Signature([0x8B] + Array("JNG\r\n".utf8), "JNG"),
        Signature([0x97] + Array("JB2\r\n".utf8), "JBIG2"),
        Signature("AT&TFORM", "DjVu"),
        Signature("icns", "ICNS"),
        Signature("SIMPLE  =", "FITS"),
        Signature("DICM", at: 128, "DICOM"),
        Signature([0x59, 0xA6, 0x6A, 0x95], "Sun raster"),
        Signature([0x01, 0xDA, 0x00, 0x01], "SGI"),
        Signature([0x01, 0xDA, 0x01, 0x01], "SGI"),
        Signature([0x0A, 0x05, 0x01, 0x08], "PCX"),
        Signature([0xD7, 0xCD, 0xC6, 0x9A], "WMF"),
        Signature("/* XPM */", "XPM"),
        Signature("id=ImageMagick", "MIFF"),
        Signature("FUJIFILMCCD-RAW", "raw data of a Fujifilm camera (RAF)"),
        Signature([0x49, 0x49, 0x1A, 0, 0, 0] + Array("HEAPCCDR".utf8), "raw data of a Canon camera (CRW)"),
        Signature([0x49, 0x49, 0x55, 0], "raw data of a Panasonic camera (RW2)"),
        Signature("IIRO", "raw data of an Olympus camera (ORF)"),
        Signature("IIRS", "raw data of an Olympus camera (ORF)"),
        Signature("MMOR", "raw data of an Olympus camera (ORF)"),
        Signature([0] + Array("MRM".utf8), "raw data of a Minolta camera (MRW)"),
        Signature("FOVb", "raw data of a Sigma camera (X3F)"),
    ]

    /// Whether the bytes are "PF" or "Pf", white space, and a digit.
    private static func isFloatMap(_ probe: borrowing FormatProbe) -> Bool {
        guard let head = probe.bytes(in: 0..<4), head[0] == UInt8(ascii: "P"), "Ff".utf8.contains(head[1]) else {
            return false
        }
        return head[2].isPNMSpace && head[3].isDigit
    }

    // MARK: Everything else

    private static func otherName(_ probe: borrowing FormatProbe) -> String? {
        if let name = name(probe, in: others) { return name }
        if probe.has("RIFF".utf8, at: 0), probe.has("AVI ".utf8, at: 8) { return "an AVI video" }
        if probe.has("RIFF".utf8, at: 0), probe.has("WAVE".utf8, at: 8) { return "audio (WAVE)" }
        if case .found(let box) = FileTypeBox.read(probe) {
            return box.majorBrand == "M4A " ? "audio (MPEG-4)" : "an MP4 or QuickTime video"
        }
        return markupName(probe)
    }

    /// Signatures of formats other than images.
    private static let others: [Signature] = [
        Signature("%!PS", "a PostScript document"),
        Signature([0xC5, 0xD0, 0xD3, 0xC6], "a PostScript document"),
        Signature([0x1A, 0x45, 0xDF, 0xA3], "a WebM or Matroska video"),
        Signature("moov", at: 4, "an MP4 or QuickTime video"),
        Signature("mdat", at: 4, "an MP4 or QuickTime video"),
        Signature("OggS", "an Ogg file"),
        Signature("FLV\u{1}", "a Flash video"),
        Signature("ID3", "audio (MP3)"),
        Signature("fLaC", "audio (FLAC)"),
        Signature([0x50, 0x4B, 3, 4], "a zip archive"),
        Signature([0x50, 0x4B, 5, 6], "a zip archive"),
        Signature([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive"),
        Signature("Rar!\u{1A}\u{7}", "a RAR archive"),
        Signature("ustar", at: 257, "a tar archive"),
        Signature([0x1F, 0x8B, 8], "gzip data"),
        Signature([0xFD] + Array("7zXZ\0".utf8), "xz data"),
        Signature([0x28, 0xB5, 0x2F, 0xFD], "Zstandard data"),
        Signature("BZh", "bzip2 data"),
        Signature([0x7F] + Array("ELF".utf8), "a program"),
    ]

    /// Recognizes HTML and XML by their first characters: a server's error page is often taken for an image.
    private static func markupName(_ probe: borrowing FormatProbe) -> String? {
        // A byte order mark and white space may come first.
        let mark = probe.has([0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
        guard let head = probe.bytes(in: mark..<min(probe.prefix.byteCount, mark + 256)) else { return nil }
        let start = head.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }.prefix(16)
        let text = String(decoding: start, as: UTF8.self).lowercased()
        let beginnings = ["<!doctype html", "<html", "<head", "<body", "<script", "<title"]
        if beginnings.contains(where: text.hasPrefix) { return "an HTML page" }
        return text.hasPrefix("<?xml") ? "an XML document" : nil
    }

    // MARK: Signatures

    /// Bytes that identify a format.
    private struct Signature {
        let offset: Int
        let bytes: [UInt8]
        let name: String

        init(_ bytes: [UInt8], at offset: Int = 0, _ name: String) {
            (self.offset, self.bytes, self.name) = (offset, bytes, name)
        }

        init(_ text: String, at offset: Int = 0, _ name: String) { self.init(Array(text.utf8), at: offset, name) }
    }

    private static func name(_ probe: borrowing FormatProbe, in signatures: [Signature]) -> String? {
        for signature in signatures where probe.has(signature.bytes, at: signature.offset) { return signature.name }
        return nil
    }
}

extension FormatProbe {
    /// Returns the bytes in `range` of the prefix; nil if the prefix is shorter.
    fileprivate func bytes(in range: Range<Int>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.upperBound <= prefix.byteCount, !range.isEmpty else { return nil }
        // The pointer doesn't leave the closure.
        return prefix.extracting(range).withUnsafeBytes { Array($0) }
    }

    /// Whether the prefix has `expected` at `offset`.
    fileprivate func has(_ expected: some Collection<UInt8>, at offset: Int) -> Bool {
        bytes(in: offset..<(offset + expected.count))?.elementsEqual(expected) ?? false
    }

    /// Whether the suffix is known and has `expected`, starting `distance` bytes before its end.
    fileprivate func has(_ expected: some Collection<UInt8>, fromEnd distance: Int) -> Bool {
        guard suffix.byteCount >= distance, distance >= expected.count else { return false }
        let start = suffix.byteCount - distance
        // The pointer doesn't leave the closure.
        return suffix.extracting(start..<(start + expected.count)).withUnsafeBytes { $0.elementsEqual(expected) }
    }
}
