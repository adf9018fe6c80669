#if JPEG2000
internal import Raster

/// The boxes of a JP2 or JPX file that describe its first image (ISO/IEC 15444-1, annex I); a codestream has none.
struct JPEG2000Container: Sendable {
    /// The colour space in a `colr` box.
    enum Color: Sendable {
        /// The number of an enumerated space (15444-1, table I.10, and 15444-2, table M.25).
        case enumerated(Int)
        /// A restricted or any other ICC profile.
        case profile([UInt8])
    }

    /// A palette, a `pclr` box: for each column its bits and its values, made unsigned.
    struct Palette: Sendable {
        var columns: [(bits: Int, values: [Int])] = []
        var entryCount: Int { columns.first?.values.count ?? 0 }
    }

    /// An entry of a `cmap` box: a channel's component, and the palette's column that it selects from, if any.
    struct Mapping: Sendable {
        var component: Int
        var column: Int?
    }

    /// An entry of a `cdef` box.
    struct Definition: Sendable {
        var channel: Int
        /// 0 for a colour, 1 for opacity, 2 for opacity by which colours are multiplied.
        var kind: Int
        /// 0 for the whole image, else the number of a colour, from 1.
        var association: Int
    }

    /// The place of the codestream; it may end beyond the file.
    private(set) var codestream: Range<Int>
    private(set) var color: Color?
    private(set) var lab = JPEG2000Lab()
    private(set) var palette: Palette?
    private(set) var mappings: [Mapping] = []
    private(set) var definitions: [Definition] = []
    private(set) var metadata = ImageMetadata()
    /// The boxes above, to be copied to a file with a part of the image.
    private(set) var colorBoxes: [UInt8] = []
    /// Whether there are boxes at all.
    var isBoxed: Bool { codestream.lowerBound > 0 }

    /// More boxes than any file has.
    private static let maximumBoxCount = 4096

    /// Reads the boxes of `source`.
    /// - Throws: `corrupt` or `truncated` unless a codestream is found; `limitExceeded`.
    init(_ source: Source, limits: DecodingLimits) throws(ImageError) {
        codestream = 0..<source.length
        // A file of boxes begins with a length of 12, a codestream with the marker FF4F.
        guard try source.bytes(upTo: 2, at: 0)?.first != 0xFF else { return }
        var (offset, count, isFound) = (0, 0, false)
        while offset < source.length, count < Self.maximumBoxCount {
            guard let box = try Self.box(in: source, at: offset) else {
                // Damage behind the codestream costs only what is there.
                if isFound { break }
                throw ImageError(
                    source.length - offset < 8 ? .truncated : .corrupt,
                    "a box of the JPEG 2000 file has no valid length",
                    byteOffset: offset)
            }
            if box.type == "jp2c", !isFound {
                isFound = true
                codestream = box.contents
            } else if try !take(box, source, limits: limits), isFound {
                break
            }
            offset = box.contents.upperBound
            count += 1
        }
        guard isFound else {
            throw ImageError(
                count < Self.maximumBoxCount ? .truncated : .corrupt, "the JPEG 2000 file has no codestream",
                byteOffset: min(offset, source.length))
        }
    }

    /// Reads the length and type of the box at `offset`; nil if the length is invalid.
    private static func box(in source: Source, at offset: Int) throws(ImageError) -> ISOBoxReader.Box? {
        guard let head = try source.bytes(upTo: 16, at: offset), var length = head.bigEndian(at: 0, byteCount: 4),
            let type = head.bigEndian(at: 4, byteCount: 4)
        else { return nil }
        var headLength = 8
        if length == 1 {
            guard let long = head.bigEndian(at: 8, byteCount: 8) else { return nil }
            (length, headLength) = (long, 16)
        } else if length == 0 {
            length = source.length - offset
        }
        let (end, overflows) = offset.addingReportingOverflow(length)
        guard length >= headLength, !overflows else { return nil }
        return ISOBoxReader.Box(type: FourCharacterCode(rawValue: UInt32(type)), contents: offset + headLength..<end)
    }

    /// Reads a box of the file; false if it ends beyond the file.
    private mutating func take(
        _ box: ISOBoxReader.Box, _ source: Source, limits: DecodingLimits
    ) throws(ImageError) -> Bool {
        let isInside = box.contents.upperBound <= source.length
        switch box.type {
        case "jp2h", "jplh", "jpch":
            try limits.checkHeader(box.contents.count, format: .jpeg2000)
            let bytes = try source.bytes(box.contents.count, at: box.contents.lowerBound)
            takeHeader(ISOBoxReader(bytes, 0..<bytes.count), of: bytes, depth: 0)
        case "uuid" where isInside && box.contents.count <= limits.maximumMetadataByteCount:
            takeBlock(try source.bytes(box.contents.count, at: box.contents.lowerBound))
        default: break
        }
        return isInside
    }

    private mutating func takeHeader(_ reader: ISOBoxReader, of bytes: [UInt8], depth: Int) {
        var reader = reader
        while true {
            let start = reader.offset
            guard let box = reader.box() else { return }
            let contents = reader.contents(of: box)
            let isTaken: Bool
            switch box.type {
            case "colr": isTaken = takeColor(contents, bytes)
            case "pclr": isTaken = takePalette(contents)
            case "cmap": isTaken = takeMappings(contents)
            case "cdef": isTaken = takeDefinitions(contents)
            case "res ":
                isTaken = false
                takeResolution(contents)
            case "cgrp":
                isTaken = false
                if depth == 0 { takeHeader(contents, of: bytes, depth: 1) }
            default: isTaken = false
            }
            if isTaken { colorBoxes += bytes[start..<reader.offset] }
        }
    }

    // MARK: Colour

    /// Takes the first colour space that is understood; JPX files have several.
    private mutating func takeColor(_ reader: ISOBoxReader, _ bytes: [UInt8]) -> Bool {
        var reader = reader
        guard color == nil, let method = reader.number(1), reader.skip(2) else { return false }
        switch method {
        case 1:
            guard let number = reader.number(4), JPEG2000Channels.ColorSpace(enumerated: number) != nil else {
                return false
            }
            color = .enumerated(number)
            if number == 14 { lab = JPEG2000Lab(reader) }
        case 2, 3: color = .profile(Array(bytes[reader.offset..<reader.end]))
        default: return false
        }
        return true
    }

    private mutating func takePalette(_ reader: ISOBoxReader) -> Bool {
        var reader = reader
        guard palette == nil, let entryCount = reader.number(2), (1...1024).contains(entryCount),
            let columnCount = reader.number(1), columnCount > 0
        else { return false }
        var made = Palette()
        var raises: [Int] = []
        for _ in 0..<columnCount {
            guard let depth = reader.number(1) else { return false }
            let bits = depth & 0x7F + 1
            guard bits <= 31 else { return false }
            made.columns.append((bits, []))
            raises.append(depth & 0x80 == 0 ? 0 : 1 << (bits - 1))
        }
        for _ in 0..<entryCount {
            for column in 0..<columnCount {
                let bits = made.columns[column].bits
                guard let value = reader.number((bits + 7) / 8) else { return false }
                // A signed value becomes unsigned by half the range.
                made.columns[column].values.append((value + raises[column]) & (1 << bits - 1))
            }
        }
        palette = made
        return true
    }

    private mutating func takeMappings(_ reader: ISOBoxReader) -> Bool {
        var reader = reader
        guard mappings.isEmpty else { return false }
        while let component = reader.number(2), let kind = reader.number(1), let column = reader.number(1) {
            mappings.append(Mapping(component: component, column: kind == 1 ? column : nil))
        }
        return !mappings.isEmpty
    }

    private mutating func takeDefinitions(_ reader: ISOBoxReader) -> Bool {
        var reader = reader
        guard definitions.isEmpty, let count = reader.number(2) else { return false }
        for _ in 0..<count {
            guard let channel = reader.number(2), let kind = reader.number(2), let association = reader.number(2) else {
                break
            }
            definitions.append(Definition(channel: channel, kind: kind, association: association))
        }
        return !definitions.isEmpty
    }

    // MARK: Metadata

    /// Takes the resolution at which the image was captured or, without that, the one for display.
    private mutating func takeResolution(_ reader: ISOBoxReader) {
        guard let box = reader.first("resc") ?? reader.first("resd") else { return }
        var reader = reader.contents(of: box)
        guard let height = reader.number(2), let heightBelow = reader.number(2), let width = reader.number(2),
            let widthBelow = reader.number(2), let heightPower = reader.number(1), let widthPower = reader.number(1),
            heightBelow > 0, widthBelow > 0
        else { return }
        // Points per metre, with signed powers of ten.
        func perInch(_ number: Int, _ below: Int, _ power: Int) -> Double {
            var value = Double(number) / Double(below) * 0.0254
            let power = Int(Int8(truncatingIfNeeded: power))
            for _ in 0..<abs(power) { value = power > 0 ? value * 10 : value / 10 }
            return value
        }
        let horizontal = perInch(width, widthBelow, widthPower)
        let vertical = perInch(height, heightBelow, heightPower)
        guard horizontal > 0, vertical > 0, max(horizontal, vertical) < 1e9 else { return }
        metadata.resolution = ImageMetadata.Resolution(horizontal: horizontal, vertical: vertical)
    }

    private mutating func takeBlock(_ bytes: [UInt8]) {
        guard bytes.count > 16 else { return }
        let block = Array(bytes[16...])
        if bytes.starts(with: Self.exifIdentifier), metadata.exif == nil {
            metadata.exif = EXIF.withoutPrefix(block)
        } else if bytes.starts(with: Self.xmpIdentifier), metadata.xmp == nil {
            metadata.xmp = block
        }
    }

    /// "JpgTiffExif->JP2", which Adobe and Exiv2 use.
    static let exifIdentifier = Array("JpgTiffExif->JP2".utf8)
    /// XMP Specification Part 3, 1.1.4.
    static let xmpIdentifier: [UInt8] = [
        0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
    ]
}
#endif
