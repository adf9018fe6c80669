internal import Raster

/// An EXIF block: a TIFF structure whose first directory says how the picture is turned and how large it prints
/// (EXIF 2.32, 4.6).
///
/// Every offset comes from the file, so every read is checked and answers nil beyond the end.
struct EXIF {
    /// The block, from the byte order mark on.
    private(set) var bytes: [UInt8]
    private let isLittleEndian: Bool
    /// Where the first directory's entries begin, and how many there are.
    private let entries: Int
    private let entryCount: Int

    /// Bytes of one entry: tag, type, count, and the value or its offset.
    static let entryByteCount = 12

    /// The block in `bytes`; nil when that isn't one with a first directory.
    init?(_ bytes: [UInt8]) {
        switch bytes.prefix(4) {
        case [0x49, 0x49, 42, 0]: isLittleEndian = true
        case [0x4D, 0x4D, 0, 42]: isLittleEndian = false
        default: return nil
        }
        self.bytes = bytes
        // 64-bit sums of 32-bit offsets don't overflow.
        guard let directory = Self.number(bytes, at: 4, byteCount: 4, isLittleEndian), directory >= 8,
            let count = Self.number(bytes, at: directory, byteCount: 2, isLittleEndian),
            directory + 2 + count * Self.entryByteCount <= bytes.count
        else { return nil }
        entries = directory + 2
        entryCount = count
    }

    /// How the picture has to be turned; nil when the block doesn't say, or says something that isn't one of the eight.
    var orientation: Orientation? {
        guard let entry = entry(.orientation), let value = integer(entry) else { return nil }
        return UInt8(exactly: value).flatMap { Orientation(rawValue: $0) }
    }

    /// Pixels per inch; nil unless both directions are given and positive.
    var resolution: ImageMetadata.Resolution? {
        guard let x = entry(.horizontalResolution).flatMap({ rational($0) }),
            let y = entry(.verticalResolution).flatMap({ rational($0) })
        else { return nil }
        // 2 is the inch, and what a missing unit means; 3 the centimetre; 1 no unit at all.
        switch entry(.resolutionUnit).flatMap({ integer($0) }) ?? 2 {
        case 2: return ImageMetadata.Resolution(horizontal: x, vertical: y)
        case 3: return ImageMetadata.Resolution(horizontal: x * 2.54, vertical: y * 2.54)
        default: return nil
        }
    }

    /// A block that says `orientation`, and what `block` says otherwise; nil when there is nothing to say.
    static func block(_ block: [UInt8]?, orientation: Orientation) -> [UInt8]? {
        guard var exif = block.flatMap({ EXIF($0) }) else {
            guard orientation != .up else { return block?.isEmpty ?? true ? nil : block }
            // A directory of one entry, ahead of which nothing stands and after which nothing follows.
            return [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.rawValue]
                + [0, 0, 0, 0, 0, 0]
        }
        exif.setOrientation(orientation)
        return exif.bytes
    }

    private mutating func setOrientation(_ orientation: Orientation) {
        if let entry = entry(.orientation) {
            bytes.replaceSubrange(entry..<(entry + Self.entryByteCount), with: Self.entry(orientation, isLittleEndian))
        } else if orientation != .up {
            addOrientation(orientation)
        }
    }

    /// Writes the directory anew behind everything else, with an entry more, and points to it from the front. What other
    /// entries point to stays where it is.
    private mutating func addOrientation(_ orientation: Orientation) {
        let end = entries + entryCount * Self.entryByteCount
        let next = end + 4 <= bytes.count ? Array(bytes[end..<(end + 4)]) : [0, 0, 0, 0]
        // Entries are in the order of their tags.
        var insertion = entries
        while insertion < end, let tag = number(insertion, 2), tag < Tag.orientation.rawValue {
            insertion += Self.entryByteCount
        }
        let directory = (bytes.count + 1) / 2 * 2
        guard entryCount < 0xFFFF, let address = UInt32(exactly: directory) else { return }
        var rewritten = Self.encoded(UInt32(entryCount + 1), byteCount: 2, isLittleEndian)
        rewritten += bytes[entries..<insertion]
        rewritten += Self.entry(orientation, isLittleEndian)
        rewritten += bytes[insertion..<end]
        rewritten += next
        bytes += [UInt8](repeating: 0, count: directory - bytes.count) + rewritten
        bytes.replaceSubrange(4..<8, with: Self.encoded(address, byteCount: 4, isLittleEndian))
    }

    // MARK: Entries

    /// Tags of the first directory (TIFF 6.0, section 8).
    private enum Tag: Int {
        case orientation = 0x0112
        case horizontalResolution = 0x011A
        case verticalResolution = 0x011B
        case resolutionUnit = 0x0128
    }

    /// Where the entry of `tag` begins.
    private func entry(_ tag: Tag) -> Int? {
        for index in 0..<entryCount {
            let start = entries + index * Self.entryByteCount
            if number(start, 2) == tag.rawValue { return start }
        }
        return nil
    }

    /// The first value of an entry of bytes, shorts or longs that fits in the entry itself.
    private func integer(_ entry: Int) -> Int? {
        guard let type = number(entry + 2, 2), let count = number(entry + 4, 4), count >= 1 else { return nil }
        switch type {
        case 1 where count <= 4: return number(entry + 8, 1)
        case 3 where count <= 2: return number(entry + 8, 2)
        case 4 where count == 1: return number(entry + 8, 4)
        default: return nil
        }
    }

    /// The value of an entry of one unsigned fraction, if it is above 0.
    private func rational(_ entry: Int) -> Double? {
        guard number(entry + 2, 2) == 5, number(entry + 4, 4) == 1, let offset = number(entry + 8, 4),
            let numerator = number(offset, 4), let denominator = number(offset + 4, 4), numerator > 0, denominator > 0
        else { return nil }
        return Double(numerator) / Double(denominator)
    }

    private func number(_ offset: Int, _ byteCount: Int) -> Int? {
        Self.number(bytes, at: offset, byteCount: byteCount, isLittleEndian)
    }

    /// The unsigned number of up to 4 bytes at `offset`, which is at least 0.
    private static func number(_ bytes: [UInt8], at offset: Int, byteCount: Int, _ isLittleEndian: Bool) -> Int? {
        guard offset + byteCount <= bytes.count else { return nil }
        var value = 0
        for index in 0..<byteCount {
            value = value << 8 | Int(bytes[offset + (isLittleEndian ? byteCount - 1 - index : index)])
        }
        return value
    }

    private static func encoded(_ value: UInt32, byteCount: Int, _ isLittleEndian: Bool) -> [UInt8] {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        return isLittleEndian ? bytes : bytes.reversed()
    }

    /// The entry that says `orientation`: one short.
    private static func entry(_ orientation: Orientation, _ isLittleEndian: Bool) -> [UInt8] {
        encoded(UInt32(Tag.orientation.rawValue), byteCount: 2, isLittleEndian)
            + encoded(3, byteCount: 2, isLittleEndian) + encoded(1, byteCount: 4, isLittleEndian)
            + encoded(UInt32(orientation.rawValue), byteCount: 2, isLittleEndian) + [0, 0]
    }
}
