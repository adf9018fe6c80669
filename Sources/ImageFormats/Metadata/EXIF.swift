internal import Raster

/// An EXIF block: a TIFF structure whose first directory has the image's orientation and resolution, and whose second
/// has a thumbnail (EXIF 2.32, 4.6).
///
/// Offsets come from the file, so every read is checked; reads past the end return nil.
struct EXIF {
    /// The bytes before a block in a JPEG, and in files of writers that copy them along (EXIF 2.32, 4.7.2).
    static let prefix: [UInt8] = Array("Exif".utf8) + [0, 0]

    /// The block, from the byte order mark on.
    var bytes: [UInt8]
    let isLittleEndian: Bool
    /// The directory that describes the image.
    var first = EXIFDirectory(entries: 0, entryCount: 0)

    /// Reads the block in `bytes`; nil if they have no TIFF header or no first directory.
    init?(_ bytes: [UInt8]) {
        switch bytes.prefix(4) {
        case [0x49, 0x49, 42, 0]: isLittleEndian = true
        case [0x4D, 0x4D, 0, 42]: isLittleEndian = false
        default: return nil
        }
        self.bytes = bytes
        guard let directory = number(4, 4).flatMap({ directory(at: $0) }) else { return nil }
        first = directory
    }

    /// Tags of directories (TIFF 6.0, section 8; EXIF 2.32, 4.6.3 to 4.6.8; CIPA DC-007).
    enum Tag: Int {
        case compression = 0x0103
        case orientation = 0x0112
        case horizontalResolution = 0x011A
        case verticalResolution = 0x011B
        case resolutionUnit = 0x0128
        case modified = 0x0132
        case thumbnailOffset = 0x0201
        case thumbnailByteCount = 0x0202
        case exifDirectory = 0x8769
        case original = 0x9003
        case digitized = 0x9004
        case modifiedOffset = 0x9010
        case originalOffset = 0x9011
        case digitizedOffset = 0x9012
        case makerNote = 0x927C
        case modifiedSubsecond = 0x9290
        case originalSubsecond = 0x9291
        case digitizedSubsecond = 0x9292
        case pixelWidth = 0xA002
        case pixelHeight = 0xA003
        case pictureCount = 0xB001
        case pictureList = 0xB002
    }

    /// The orientation; nil if the tag is missing or not 1 to 8.
    var orientation: Orientation? {
        guard let value = integer(.orientation, in: first) else { return nil }
        return UInt8(exactly: value).flatMap { Orientation(rawValue: $0) }
    }

    /// Pixels per inch; nil unless both directions are present and positive.
    var resolution: ImageMetadata.Resolution? {
        guard let x = rational(.horizontalResolution), let y = rational(.verticalResolution) else { return nil }
        return ImageMetadata.Resolution(x, y, unit: integer(.resolutionUnit, in: first))
    }
}

extension ImageMetadata.Resolution {
    /// Converts a resolution from TIFF's units, 2 for inches (the default) and 3 for centimetres; nil for others.
    init?(_ x: Double, _ y: Double, unit: Int?) {
        let unit = unit ?? 2
        guard unit == 2 || unit == 3 else { return nil }
        let scale = unit == 3 ? 2.54 : 1
        self.init(horizontal: x * scale, vertical: y * scale)
    }
}

// MARK: - Directories and their entries

extension EXIF {
    /// The directory at `offset`, if it is complete.
    func directory(at offset: Int) -> EXIFDirectory? {
        // 64-bit sums of 32-bit offsets don't overflow.
        guard offset >= 8, let count = number(offset, 2),
            offset + 2 + count * EXIFDirectory.entryByteCount <= bytes.count
        else { return nil }
        return EXIFDirectory(entries: offset + 2, entryCount: count)
    }

    /// The offset of the entry with `tag`.
    func entry(_ tag: Tag, in directory: EXIFDirectory) -> Int? {
        for index in 0..<directory.entryCount {
            let start = directory.entries + index * EXIFDirectory.entryByteCount
            if number(start, 2) == tag.rawValue { return start }
        }
        return nil
    }

    /// The first value of an entry of bytes, shorts or longs whose values fit in the entry itself.
    func integer(_ tag: Tag, in directory: EXIFDirectory) -> Int? {
        guard let entry = entry(tag, in: directory), let type = number(entry + 2, 2),
            let count = number(entry + 4, 4), count >= 1
        else { return nil }
        switch type {
        case 1 where count <= 4: return number(entry + 8, 1)
        case 3 where count <= 2: return number(entry + 8, 2)
        case 4 where count == 1: return number(entry + 8, 4)
        default: return nil
        }
    }

    /// The text of an ASCII entry up to its null byte; nil if the entry is longer than `limit` bytes.
    func text(_ tag: Tag, in directory: EXIFDirectory, limit: Int) -> String? {
        guard let entry = entry(tag, in: directory), number(entry + 2, 2) == 2, let count = number(entry + 4, 4),
            count <= limit, let start = count <= 4 ? entry + 8 : number(entry + 8, 4), start + count <= bytes.count
        else { return nil }
        let characters = bytes[start..<(start + count)].prefix { $0 != 0 }
        return characters.allSatisfy { $0 < 128 } ? String(decoding: characters, as: UTF8.self) : nil
    }

    /// The value of an entry with one unsigned fraction in the first directory, if it is positive.
    private func rational(_ tag: Tag) -> Double? {
        guard let entry = entry(tag, in: first), number(entry + 2, 2) == 5, number(entry + 4, 4) == 1,
            let offset = number(entry + 8, 4), let numerator = number(offset, 4),
            let denominator = number(offset + 4, 4), numerator > 0, denominator > 0
        else { return nil }
        return Double(numerator) / Double(denominator)
    }

    /// The unsigned integer of up to 4 bytes at `offset`, which must not be negative.
    func number(_ offset: Int, _ byteCount: Int) -> Int? {
        bytes.integer(at: offset, byteCount: byteCount, isLittleEndian: isLittleEndian)
    }

    /// `value` in `byteCount` bytes, in the block's byte order.
    func encoded(_ value: Int, _ byteCount: Int) -> [UInt8] {
        isLittleEndian ? value.littleEndianBytes(byteCount) : value.bigEndianBytes(byteCount)
    }

    /// An entry with one short.
    func encodedEntry(_ tag: Tag, short value: Int) -> [UInt8] {
        encoded(tag.rawValue, 2) + encoded(3, 2) + encoded(1, 4) + encoded(value, 2) + [0, 0]
    }

    /// An entry with one long.
    func encodedEntry(_ tag: Tag, long value: Int) -> [UInt8] {
        encoded(tag.rawValue, 2) + encoded(4, 2) + encoded(1, 4) + encoded(value, 4)
    }
}

/// The location of a directory in an EXIF block's TIFF structure.
struct EXIFDirectory {
    /// The offset of the first entry, and the number of entries. All of them lie within the block.
    let entries: Int
    let entryCount: Int

    /// The length of an entry: tag, type, count, and the value or its offset.
    static let entryByteCount = 12

    /// The offset after the last entry, where the next directory's offset is stored unless the block ends there.
    var end: Int { entries + entryCount * Self.entryByteCount }
}

extension EXIF {
    /// `block` with its orientation set.
    ///
    /// An unreadable or missing block is replaced by one with nothing but the orientation. If that is `.up`, it is
    /// returned unchanged, or nil if empty.
    static func block(_ block: [UInt8]?, orientation: Orientation) -> [UInt8]? {
        guard var exif = block.flatMap({ EXIF($0) }) else {
            guard orientation != .up else { return block?.isEmpty ?? true ? nil : block }
            return smallest(orientation)
        }
        exif.setOrientation(orientation)
        return exif.bytes
    }

    /// A block with nothing but `orientation`.
    static func smallest(_ orientation: Orientation) -> [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.rawValue]
            + [0, 0, 0, 0, 0, 0]
    }

    private mutating func setOrientation(_ orientation: Orientation) {
        if let entry = entry(.orientation, in: first) {
            bytes.replaceSubrange(
                entry..<(entry + EXIFDirectory.entryByteCount),
                with: encodedEntry(.orientation, short: Int(orientation.rawValue)))
        } else if orientation != .up {
            addOrientation(orientation)
        }
    }

    /// Appends a copy of the directory with an added entry, and sets the header's offset to it. The data that other
    /// entries refer to stays in place.
    private mutating func addOrientation(_ orientation: Orientation) {
        let (entries, end) = (first.entries, first.end)
        let next = end + 4 <= bytes.count ? Array(bytes[end..<(end + 4)]) : [0, 0, 0, 0]
        // Entries are sorted by tag.
        var insertion = entries
        while insertion < end, let tag = number(insertion, 2), tag < Tag.orientation.rawValue {
            insertion += EXIFDirectory.entryByteCount
        }
        let directory = (bytes.count + 1) / 2 * 2
        guard first.entryCount < 0xFFFF, directory <= Int(UInt32.max) else { return }
        var rewritten = encoded(first.entryCount + 1, 2)
        rewritten += bytes[entries..<insertion]
        rewritten += encodedEntry(.orientation, short: Int(orientation.rawValue))
        rewritten += bytes[insertion..<end]
        rewritten += next
        bytes += [UInt8](repeating: 0, count: directory - bytes.count) + rewritten
        bytes.replaceSubrange(4..<8, with: encoded(directory, 4))
    }
}
