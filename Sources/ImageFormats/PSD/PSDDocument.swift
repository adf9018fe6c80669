internal import Raster

/// The sections of a PSD or PSB file before the pixels (Adobe Photoshop File Formats Specification, 2019).
struct PSDDocument {
    /// A colour mode by its number.
    enum Mode: Int {
        case bitmap = 0
        case gray = 1
        case indexed = 2
        case rgb = 3
        case cmyk = 4
        case duotone = 8
        case lab = 9

        /// The channels of colour, which come first.
        var channelCount: Int {
            switch self {
            case .bitmap, .gray, .indexed, .duotone: 1
            case .rgb, .lab: 3
            case .cmyk: 4
            }
        }
    }

    let source: Source
    let size: PixelSize
    let mode: Mode
    /// The bits of a channel: 1, 8, 16 or 32.
    let bits: Int
    /// All channels, colours and others.
    let channelCount: Int
    /// Whether lengths of rows have four bytes.
    let isLarge: Bool
    /// 256 reds, greens and blues of an indexed image.
    private(set) var palette: [UInt8] = []
    /// The resources with metadata.
    private(set) var resources = PhotoshopResources()
    /// Whether the channel after the colours is the layers' alpha.
    private(set) var hasAlpha = false
    /// The offset of the merged image's compression.
    private(set) var pixelOffset = 0

    static let headerByteCount = 26
    /// Photoshop's limits.
    private static let maximumChannelCount = 56
    private static let maximumSide = 300_000

    /// Reads the sections.
    /// - Throws: `truncated`, `corrupt` with the offset, `unsupported` for a mode that isn't read, `limitExceeded`.
    init(_ source: Source, limits: DecodingLimits) throws(ImageError) {
        self.source = source
        let head = try source.bytes(Self.headerByteCount, at: 0)
        func number(_ offset: Int, _ byteCount: Int) -> Int { head.bigEndian(at: offset, byteCount: byteCount) ?? 0 }
        guard head.starts(with: "8BPS".utf8), (1...2).contains(number(4, 2)) else {
            throw ImageError(
                .corrupt, "unknown version \(number(4, 2)) of the PSD file; expected 1 or 2", byteOffset: 4)
        }
        isLarge = number(4, 2) == 2
        channelCount = number(12, 2)
        size = PixelSize(width: number(18, 4), height: number(14, 4))
        bits = number(22, 2)
        guard (1...Self.maximumChannelCount).contains(channelCount) else {
            throw ImageError(
                .corrupt, "\(channelCount) channels of the PSD image; it can have 1 to \(Self.maximumChannelCount)",
                byteOffset: 12)
        }
        guard let mode = Mode(rawValue: number(24, 2)) else {
            throw ImageError(
                .unsupported, "PSD images of colour mode \(number(24, 2)) can't be read here", byteOffset: 24)
        }
        self.mode = mode
        try limits.check(size, format: .psd)
        guard max(size.width, size.height) <= Self.maximumSide else {
            throw ImageError(
                .corrupt, "a PSD image of \(size) pixels; Photoshop has at most \(Self.maximumSide) on a side",
                byteOffset: 14)
        }
        let depths: [Int] =
            switch mode {
            case .bitmap: [1]
            case .indexed, .duotone: [8]
            case .gray, .rgb: [8, 16, 32]
            case .cmyk, .lab: [8, 16]
            }
        guard depths.contains(bits) else {
            throw ImageError(.corrupt, "invalid depth of \(bits) bits of the PSD image", byteOffset: 22)
        }
        guard channelCount >= mode.channelCount else {
            throw ImageError(
                .corrupt, "a PSD image of \(mode.channelCount) colours has \(channelCount) channels", byteOffset: 12)
        }
        try readSections(limits)
    }

    /// Returns the length of the section at `offset`.
    private func length(at offset: Int, byteCount: Int = 4) throws(ImageError) -> Int {
        let length = try source.bytes(byteCount, at: offset).bigEndian(at: 0, byteCount: byteCount) ?? .max
        guard length <= (source.byteCount ?? 0) - offset - byteCount else {
            throw ImageError(
                .truncated, "a section of \(length) bytes extends beyond the end of the PSD file", byteOffset: offset)
        }
        return length
    }

    private mutating func readSections(_ limits: DecodingLimits) throws(ImageError) {
        var offset = Self.headerByteCount
        let colors = try length(at: offset)
        if mode == .indexed {
            guard colors >= 768 else {
                throw ImageError(.corrupt, "the PSD palette has \(colors) bytes instead of 768", byteOffset: offset)
            }
            palette = try source.bytes(768, at: offset + 4)
        }
        offset += 4 + colors
        let resourceLength = try length(at: offset)
        // Larger or damaged resources are ignored: pixels don't depend on them.
        if resourceLength <= 2 * limits.maximumMetadataByteCount {
            resources =
                (try? PhotoshopResources(source.bytes(resourceLength, at: offset + 4))) ?? PhotoshopResources()
        }
        offset += 4 + resourceLength
        let width = isLarge ? 8 : 4
        let layers = try length(at: offset, byteCount: width)
        offset += width
        if channelCount > mode.channelCount, layers > 0 {
            // Damaged layers don't affect the merged image.
            hasAlpha = (try? isMergedWithAlpha(offset..<(offset + layers))) ?? false
        }
        pixelOffset = offset + layers
    }

    /// Whether the number of layers is negative, which means that the first further channel is alpha.
    private func isMergedWithAlpha(_ section: Range<Int>) throws(ImageError) -> Bool {
        let width = isLarge ? 8 : 4
        guard section.count >= width + 2 else { return false }
        let info = try length(at: section.lowerBound, byteCount: width)
        guard info == 0 else { return try source.bytes(1, at: section.lowerBound + width)[0] & 0x80 != 0 }
        // With 16 and 32 bits, layers are in a block behind the mask.
        var offset = section.lowerBound + width
        guard section.upperBound - offset >= 4 else { return false }
        offset += 4 + (try length(at: offset))
        for _ in 0..<Self.maximumBlockCount {
            guard section.upperBound - offset >= 16 else { return false }
            let head = try source.bytes(8, at: offset)
            guard head.starts(with: "8BIM".utf8) || head.starts(with: "8B64".utf8) else { return false }
            let key = String(decoding: head[4...], as: UTF8.self)
            let lengthWidth = isLarge && Self.largeBlocks.contains(key) ? 8 : 4
            let byteCount = try length(at: offset + 8, byteCount: lengthWidth)
            offset += 8 + lengthWidth
            if key == "Lr16" || key == "Lr32", byteCount >= 2 {
                return try source.bytes(1, at: offset)[0] & 0x80 != 0
            }
            offset += (byteCount + 3) / 4 * 4
        }
        return false
    }

    /// More blocks aren't searched for layers.
    private static let maximumBlockCount = 1000
    /// The blocks whose length has eight bytes in a PSB.
    private static let largeBlocks: Set<String> = [
        "LMsk", "Lr16", "Lr32", "Layr", "Mt16", "Mt32", "Mtrn", "Alph", "FMsk", "lnk2", "FEid", "FXid", "PxSD",
    ]
}

extension PSDDocument {
    /// The bytes of a channel's row.
    var rowByteCount: Int { (size.width * bits + 7) / 8 }

    var colorModel: ImageHeader.ColorModel {
        switch mode {
        case .bitmap, .gray, .duotone: .gray
        case .indexed: .indexed
        case .rgb, .lab: .rgb
        case .cmyk: .cmyk
        }
    }

    /// The index of the transparent colour of a palette; nil if there is none.
    var transparentIndex: Int? {
        guard mode == .indexed else { return nil }
        return resources.data(0x0417)?.bigEndian(at: 0, byteCount: 2)
    }

    /// The ICC profile if it fits the colour mode, else sRGB.
    func profile(_ limits: DecodingLimits) -> ColorProfile {
        guard mode != .lab, let bytes = resources.data(0x040F), bytes.count <= limits.maximumMetadataByteCount,
            bytes.isICCProfile(for: colorModel)
        else { return .sRGB }
        return .icc(bytes)
    }

    /// Resolution, EXIF and XMP. Photoshop turns pixels itself.
    func metadata(_ limits: DecodingLimits) -> ImageMetadata {
        func block(_ number: Int) -> [UInt8]? {
            resources.data(number).flatMap { $0.count <= limits.maximumMetadataByteCount && !$0.isEmpty ? $0 : nil }
        }
        var metadata = ImageMetadata(exif: EXIF.withoutPrefix(block(0x0422)), xmp: block(0x0424))
        // Pixels per inch, with 16 bits of fraction; eight bytes further for the other direction.
        if let data = resources.data(0x03ED), let across = data.bigEndian(at: 0, byteCount: 4),
            let down = data.bigEndian(at: 8, byteCount: 4), across > 0, down > 0
        {
            metadata.resolution = ImageMetadata.Resolution(
                horizontal: Double(across) / 65536, vertical: Double(down) / 65536)
        }
        return metadata
    }
}
