/// The associations of items with properties, from the `ipma` boxes (ISO/IEC 23008-12, 9.3.1).
///
/// A file may have several such boxes, and some writers produce two of the same version, which the standard forbids.
/// libavif rejects those files, and libheif reads only the first box, so the boxes are joined before either library
/// reads the file.
struct ISOPropertyAssociations {
    /// Each item's associations in order. Bit 15 marks an essential property.
    private var items: [Int: [Int]] = [:]

    /// `file` with all associations in a single box; `file` itself if there is only one, or if they don't fit.
    ///
    /// The bytes saved become a `free` box, so that all offsets remain valid.
    static func joined(_ file: [UInt8]) -> [UInt8] {
        var reader = ISOBoxReader(file, 0..<file.count)
        guard let meta = reader.first("meta") else { return file }
        reader = ISOBoxReader(file, meta.contents)
        guard reader.versionAndFlags() != nil else { return file }
        var start = reader.offset
        while let box = reader.box() {
            if box.type == "iprp" {
                guard let replacement = replacement(for: box, byteCount: reader.offset - start, in: file) else {
                    return file
                }
                var copy = file
                copy.replaceSubrange(start..<reader.offset, with: replacement)
                return copy
            }
            start = reader.offset
        }
        return file
    }

    /// A properties box of the same length with a single box of associations; nil if that isn't possible.
    private static func replacement(for box: ISOBoxReader.Box, byteCount: Int, in file: [UInt8]) -> [UInt8]? {
        var reader = ISOBoxReader(file, box.contents)
        var (scout, count) = (reader, 0)
        while let child = scout.box() { count += child.type == "ipma" ? 1 : 0 }
        // No real image has more than a megabyte of properties.
        guard count > 1, scout.isAtEnd, byteCount <= 1 << 20 else { return nil }
        var associations = ISOPropertyAssociations()
        var others: [UInt8] = []
        var start = reader.offset
        while let child = reader.box() {
            if child.type == "ipma" {
                let isWhole = reader.contents(of: child).forEachAssociation { item, property, _ in
                    associations.items[item, default: []].append(property)
                }
                guard isWhole else { return nil }
            } else {
                others += file[start..<reader.offset]
            }
            start = reader.offset
        }
        guard let joined = associations.box else { return nil }
        let bytes = ISOBoxWriter.box("iprp", others + joined)
        // A box header takes eight bytes.
        guard byteCount - bytes.count >= 8 else { return byteCount == bytes.count ? bytes : nil }
        return bytes + ISOBoxWriter.box("free", [UInt8](repeating: 0, count: byteCount - bytes.count - 8))
    }

    /// A single box with all associations, sorted by item; nil if an item has more than 255.
    private var box: [UInt8]? {
        let isWide = items.values.contains { $0.contains { $0 & 0x7FFF > 0x7F } }
        let version = items.keys.contains { $0 > 0xFFFF } ? 1 : 0
        var contents = [UInt8(version), 0, 0, isWide ? 1 : 0] + items.count.bigEndianBytes(4)
        for (item, properties) in items.sorted(by: { $0.key < $1.key }) {
            guard properties.count < 256 else { return nil }
            contents += item.bigEndianBytes(version == 0 ? 2 : 4) + [UInt8(properties.count)]
            for property in properties {
                contents += isWide ? property.bigEndianBytes(2) : [UInt8(property >> 8 | property & 0x7F)]
            }
        }
        return ISOBoxWriter.box("ipma", contents)
    }
}

extension ISOBoxReader {
    /// Reads an `ipma` box, and calls `body` with each item, property number and the number's place. Bit 15 of the number
    /// marks an essential property.
    /// - Returns: Whether the box is complete.
    func forEachAssociation(_ body: (_ item: Int, _ property: Int, _ place: Range<Int>) -> Void) -> Bool {
        var reader = self
        guard let (version, flags) = reader.versionAndFlags(), let count = reader.number(4) else { return false }
        let isWide = flags & 1 == 1
        for _ in 0..<count {
            guard let item = reader.number(version == 0 ? 2 : 4), let properties = reader.number(1) else {
                return false
            }
            for _ in 0..<properties {
                let start = reader.offset
                guard var property = reader.number(isWide ? 2 : 1) else { return false }
                if !isWide { property = property & 0x80 << 8 | property & 0x7F }
                body(item, property, start..<reader.offset)
            }
        }
        return true
    }
}
