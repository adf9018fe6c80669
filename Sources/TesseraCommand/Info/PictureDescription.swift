internal import JPEGBitstream
internal import ImageFormats
internal import Tessera

/// The description of a file that `info` prints.
struct PictureDescription {
    private let name: String
    private let byteCount: Int?
    private let header: ImageHeader
    private let sequence: SequenceDescription?
    private let scanCount: Int?
    /// Whether this is a JPEG coded by lossless prediction.
    private let isLosslessJPEG: Bool
    private let jpng: JPNGDescription?
    /// All tags; nil if they weren't requested.
    private let tags: [FileMetadata.Value]?
    private let gainMap: GainMapDescription?

    /// Reads as much of a file as the description needs.
    /// - Parameter hasTags: Whether it has all tags, for which the whole file is read.
    init(_ input: InputLocation, hasTags: Bool = false, limits: DecodingLimits) throws(ImageError) {
        name = "\(input)"
        // The description is of the stored image, without conversion.
        let options = DecodingOptions(color: .asStored, appliesOrientation: false, limits: limits)
        var source = try input.open()
        // The input is read more than once.
        if source.isStream { source = Source(try source.bytes(), name: source.name) }
        let file = source
        let reader = ScanCountingReader(file)
        byteCount = file.byteCount
        header = try ImageSource.header(of: reader, options: options)
        sequence = try SequenceDescription(header, options: options) { () throws(ImageError) in try file.bytes() }
        scanCount = Self.scanCount(header, reader)
        tags = hasTags ? try FileMetadata(file.bytes(), limits: limits).values : nil
        isLosslessJPEG = header.format == .jpeg && reader.frame?.process == .lossless
        jpng =
            header.format == .jpng
            ? try JPNGDescription(byteCount: file.length) { (range) throws(ImageError) in
                try file.bytes(upTo: range.count, at: range.lowerBound) ?? []
            } : nil
        gainMap = GainMapDescription(file, header, options: options)
    }

    /// The description as lines of text.
    var text: String {
        var lines = [name]
        func add(_ name: String, _ value: String) {
            lines.append("  \(name):" + String(repeating: " ", count: max(1, 14 - name.count)) + value)
        }
        let process = header.isProgressive ? ", progressive" : isLosslessJPEG ? ", lossless" : ""
        add("format", header.format.name + process)
        let stored = header.metadata.orientation == .up ? "" : ", stored \(header.storedSize)"
        add("size", "\(header.size)\(stored)")
        if let sequence {
            for (name, value) in sequence.text { add(name, value) }
        } else {
            add("frames", "1")
        }
        if let scanCount { add("scans", "\(scanCount)") }
        add("colours", "\(colorModel), \(header.bitsPerChannel) bits")
        add("alpha", header.hasAlpha ? "yes" : "no")
        add("profile", header.profile.name)
        if header.metadata.orientation != .up { add("orientation", "\(header.metadata.orientation)") }
        if let resolution = header.metadata.resolution {
            add("resolution", "\(dots(resolution.horizontal)) x \(dots(resolution.vertical)) pixels per inch")
        }
        for (name, date) in [
            ("taken", header.metadata.dates.original), ("digitised", header.metadata.dates.digitized),
            ("changed", header.metadata.dates.modified),
        ] {
            if let date {
                add(name, ([date.exifText] + [date.exifOffsetText].compactMap { $0 }).joined(separator: " "))
            }
        }
        for (name, value) in ShotDescription(header.metadata).text { add(name, value) }
        if let hotSpot = header.metadata.hotSpot { add("hot spot", "\(hotSpot.x), \(hotSpot.y)") }
        if let thumbnail = header.metadata.embeddedThumbnail { add("thumbnail", "\(ByteCount(thumbnail.count))") }
        if let exif = header.metadata.exif { add("EXIF", "\(ByteCount(exif.count))") }
        if let xmp = header.metadata.xmp { add("XMP", "\(ByteCount(xmp.count))") }
        if let gainMap { add("gain map", gainMap.text) }
        if let jpng {
            add("colour part", jpng.color.text)
            add("mask", jpng.mask.text)
            add("footer", "version \(jpng.version), identifier \(jpng.identifier)")
        }
        if let byteCount { add("bytes", "\(byteCount)") }
        for value in tags ?? [] {
            lines.append("  \(value.fullName.withoutControls): \(value.values.joined(separator: ", ").withoutControls)")
        }
        return lines.joined(separator: "\n")
    }

    /// The description as JSON.
    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("file", .string(name)),
            ("format", .string(header.format.name)),
            ("mimeType", .string(header.format.mimeType)),
            ("width", .integer(header.size.width)),
            ("height", .integer(header.size.height)),
            ("storedWidth", .integer(header.storedSize.width)),
            ("storedHeight", .integer(header.storedSize.height)),
            ("frames", .integer(sequence?.count ?? 1)),
            ("colorModel", .string(header.colorModel.rawValue)),
            ("bitsPerChannel", .integer(header.bitsPerChannel)),
            ("alpha", .boolean(header.hasAlpha)),
            ("profile", .string(header.profile.name)),
            ("orientation", .integer(Int(header.metadata.orientation.rawValue))),
            ("progressive", .boolean(header.isProgressive)),
            ("exifBytes", header.metadata.exif.map { .integer($0.count) } ?? .null),
            ("xmpBytes", header.metadata.xmp.map { .integer($0.count) } ?? .null),
            ("bytes", byteCount.map { .integer($0) } ?? .null),
        ]
        members += ShotDescription(header.metadata).json
        if let tags { members.append(("tags", .tags(tags))) }
        if let sequence { members.append(("sequence", sequence.json)) }
        if header.format == .jpeg { members.append(("lossless", .boolean(isLosslessJPEG))) }
        if let scanCount { members.append(("scans", .integer(scanCount))) }
        if let jpng { members.append(("jpng", jpng.json)) }
        if let gainMap { members.append(("gainMap", gainMap.json)) }
        return .object(members)
    }

    /// Returns the number of scans of a progressive JPEG, counted by its markers; nil for other files.
    private static func scanCount(_ header: ImageHeader, _ reader: ScanCountingReader) -> Int? {
        header.format == .jpeg && header.isProgressive ? try? reader.countScans() : nil
    }

    private var colorModel: String {
        switch header.colorModel {
        case .gray: "grey"
        case .rgb: "RGB"
        case .indexed: "palette"
        case .cmyk: "CMYK"
        }
    }

    private func dots(_ value: Double) -> String { value.formatted(decimals: value == value.rounded() ? 0 : 1) }
}

/// Passes a file's bytes on to the header parser and counts the scans of a JPEG in them.
final class ScanCountingReader: ByteReader {
    private let reader: Source.Reader
    /// Counts scans without recording them; stops at bytes that aren't a JPEG.
    private var walker = JPEGMarkerWalker(recording: 0)

    init(_ source: Source) { reader = source.reader() }

    var byteCount: Int? { reader.byteCount }

    /// The JPEG's frame header, if it has been read.
    var frame: JPEGFrame? { walker.structure.frame }

    func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
        try reader.nextBytes { (bytes) throws(ImageError) in
            try? walker.append(bytes)
            try body(bytes)
        }
    }

    func suffix(_ count: Int) throws(ImageError) -> [UInt8]? { try reader.suffix(count) }

    /// Reads to the end of the JPEG, or to damage, and returns the number of scans up to there.
    func countScans() throws(ImageError) -> Int {
        var more = true
        while more, !walker.isAtEnd, walker.structure.failure == nil { more = try nextBytes { _ in } }
        return walker.structure.scanCount
    }
}

extension ColorProfile {
    /// The profile's name; for an ICC profile, its description.
    var name: String {
        switch self {
        case .sRGB: "sRGB"
        case .icc where isHighDynamicRange: highDynamicRangeName ?? "ICC"
        case .icc(let bytes): "ICC" + (Self.description(of: bytes).map { " \"\($0)\"" } ?? "")
        case .calibrated(let gamma, let chromaticities):
            "gamma \(gamma.formatted(decimals: 5))" + (chromaticities == nil ? "" : " with chromaticities")
        }
    }

    /// Returns the text of an ICC profile's 'desc' tag: ICC.1:2001, 6.5.17 (version 2); ICC.1:2022, 10.15 (version 4).
    private static func description(of profile: [UInt8]) -> String? {
        func integer(at offset: Int) -> Int? {
            guard offset >= 0, offset <= profile.count - 4 else { return nil }
            return profile[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        func bytes(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
            guard offset >= 0, count >= 0, offset <= profile.count, count <= profile.count - offset else { return nil }
            return profile[offset..<offset + count]
        }
        guard let count = integer(at: 128), count <= 1000 else { return nil }
        for index in 0..<count where integer(at: 132 + 12 * index) == 0x6465_7363 {
            guard let offset = integer(at: 136 + 12 * index) else { return nil }
            switch integer(at: offset) {
            case 0x6465_7363:
                guard let length = integer(at: offset + 8), let text = bytes(at: offset + 12, count: length) else {
                    return nil
                }
                return readable(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
            case 0x6D6C_7563:
                // The first language in the tag.
                guard let length = integer(at: offset + 20), let start = integer(at: offset + 24),
                    let text = bytes(at: offset + start, count: length)
                else { return nil }
                let units = stride(from: text.startIndex, to: text.endIndex - 1, by: 2).map {
                    UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
                }
                return readable(String(decoding: units, as: UTF16.self))
            default: return nil
            }
        }
        return nil
    }

    /// Removes control characters, on which a terminal would act; nil if nothing is left.
    private static func readable(_ text: String) -> String? {
        let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars))
    }
}
