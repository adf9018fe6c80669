internal import Raster

extension EXIF {
    /// A directory; nil if the block has none of this kind, or it doesn't lie within the block.
    func directory(_ kind: EXIFDirectoryKind) -> EXIFDirectory? {
        guard let pointer = kind.pointer else { return first }
        return pointerEntry(pointer).flatMap { number($0 + 8, 4) }.flatMap { directory(at: $0) }
    }

    /// The offset of the entry in the first directory that points to another one.
    private func pointerEntry(_ tag: Int) -> Int? {
        entryOffsets(first).first { number($0, 2) == tag }
    }

    private func entryOffsets(_ directory: EXIFDirectory) -> [Int] {
        (0..<directory.entryCount).map { directory.entries + $0 * EXIFDirectory.entryByteCount }
    }

    /// The entries of a directory whose values lie within the block; others are left out.
    func entries(_ kind: EXIFDirectoryKind) -> [EXIFEntry] {
        guard let directory = directory(kind) else { return [] }
        return entryOffsets(directory).compactMap { try? readEntry(at: $0) }
    }

    /// Reads the entry at `offset`.
    /// - Throws: `corrupt` with the offset in the block for an unknown type, or values beyond the block's end.
    private func readEntry(at offset: Int) throws(ImageError) -> EXIFEntry {
        // The directory's entries lie within the block.
        let (tag, code, count) = (number(offset, 2) ?? 0, number(offset + 2, 2) ?? 0, number(offset + 4, 4) ?? 0)
        guard let type = EXIFTagType(rawValue: code) else {
            throw ImageError(.corrupt, "the EXIF tag \(tag) has the unknown type \(code)", byteOffset: offset)
        }
        // 32-bit counts times 8 don't overflow.
        let byteCount = count * type.byteCount
        let start = byteCount <= 4 ? offset + 8 : number(offset + 8, 4) ?? bytes.count
        guard start + byteCount <= bytes.count else {
            throw ImageError(
                .corrupt, "the EXIF tag \(tag) has \(byteCount) bytes at \(start), beyond the block's \(bytes.count)",
                byteOffset: offset)
        }
        return EXIFEntry(tag: tag, type: type, count: count, value: Array(bytes[start..<(start + byteCount)]))
    }
}

// MARK: - Editing

extension EXIF {
    /// Checks that every entry of every directory can be read, and that directories don't overlap: a damaged block must
    /// not be edited.
    /// - Throws: `corrupt` with the offset in the block.
    func checkForEditing() throws(ImageError) {
        var tables: [Range<Int>] = []
        for kind in EXIFDirectoryKind.allCases {
            guard let directory = directory(kind) else {
                guard kind.pointer.flatMap({ pointerEntry($0) }) == nil else {
                    throw ImageError(.corrupt, "a directory of the EXIF block isn't within it", byteOffset: 0)
                }
                continue
            }
            let table = (directory.entries - 2)..<directory.end
            guard !tables.contains(where: { $0.overlaps(table) }) else {
                throw ImageError(
                    .corrupt, "two directories of the EXIF block overlap", byteOffset: table.lowerBound)
            }
            tables.append(table)
            for offset in entryOffsets(directory) { _ = try readEntry(at: offset) }
        }
    }

    /// Sets and removes entries; nil removes the one with that tag.
    ///
    /// The values of other entries stay where they are, since makers' notes have offsets that nobody else can adjust. A
    /// directory that grows moves to the end of the block; removed values are overwritten with zeros.
    /// - Throws: `corrupt` for a damaged block, `unsupported` for one that would be larger than its offsets reach.
    mutating func edit(_ changes: [Int: EXIFEntry?], in kind: EXIFDirectoryKind) throws(ImageError) {
        guard !changes.isEmpty else { return }
        try checkForEditing()
        let old = directory(kind)
        var rows: [(tag: Int, row: [UInt8])] = []
        for offset in old.map({ entryOffsets($0) }) ?? [] {
            let tag = number(offset, 2) ?? 0
            if changes.keys.contains(tag) {
                eraseValue(at: offset)
            } else {
                rows.append((tag, Array(bytes[offset..<(offset + EXIFDirectory.entryByteCount)])))
            }
        }
        for (tag, entry) in changes.sorted(by: { $0.key < $1.key }) {
            if let entry { rows.append((tag, row(for: entry))) }
        }
        rows.sort { $0.tag < $1.tag }
        guard old != nil || !rows.isEmpty else { return }
        let next =
            old.flatMap { $0.end + 4 <= bytes.count ? Array(bytes[$0.end..<($0.end + 4)]) : nil } ?? [0, 0, 0, 0]
        let table = encoded(rows.count, 2) + rows.flatMap(\.row) + next
        guard rows.count <= 0xFFFF, bytes.count + table.count <= Int(UInt32.max) else {
            throw ImageError(.unsupported, "an EXIF block can't be larger than 4 GB")
        }
        if let old, rows.count <= old.entryCount, old.end + 4 <= bytes.count {
            let length = old.end + 4 - (old.entries - 2)
            bytes.replaceSubrange(
                (old.entries - 2)..<(old.end + 4), with: table + [UInt8](repeating: 0, count: length - table.count))
            if kind == .image { first = EXIFDirectory(entries: old.entries, entryCount: rows.count) }
        } else {
            if let old { erase((old.entries - 2)..<min(bytes.count, old.end + 4)) }
            let offset = appendAligned(table)
            // ExifTool expects as much room behind the first directory as the next one takes, wherever that is.
            if kind == .image, let place = next.integer(at: 0, byteCount: 4, isLittleEndian: isLittleEndian),
                let following = directory(at: place), following.entryCount <= 100
            {
                let missing = 2 + following.entryCount * EXIFDirectory.entryByteCount + 4 - table.count
                bytes += [UInt8](repeating: 0, count: max(0, missing))
            }
            try point(to: offset, kind, entryCount: rows.count)
        }
    }

    /// Sets the offset of a directory that has moved or is new.
    private mutating func point(
        to offset: Int, _ kind: EXIFDirectoryKind, entryCount: Int
    ) throws(ImageError) {
        guard let pointer = kind.pointer else {
            bytes.replaceSubrange(4..<8, with: encoded(offset, 4))
            first = EXIFDirectory(entries: offset + 2, entryCount: entryCount)
            return
        }
        if let entry = pointerEntry(pointer) {
            bytes.replaceSubrange((entry + 8)..<(entry + 12), with: encoded(offset, 4))
        } else {
            let entry = EXIFEntry(tag: pointer, type: .long, count: 1, value: encoded(offset, 4))
            try edit([pointer: entry], in: .image)
        }
    }

    /// Appends an entry's values if they don't fit in it, and returns its 12 bytes.
    private mutating func row(for entry: EXIFEntry) -> [UInt8] {
        let head = encoded(entry.tag, 2) + encoded(entry.type.rawValue, 2) + encoded(entry.count, 4)
        guard entry.value.count > 4 else {
            return head + entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
        }
        return head + encoded(appendAligned(entry.value), 4)
    }

    /// Appends bytes at an even offset, which it returns.
    private mutating func appendAligned(_ added: [UInt8]) -> Int {
        if bytes.count % 2 == 1 { bytes.append(0) }
        defer { bytes += added }
        return bytes.count
    }

    /// Overwrites the values of the entry at `offset`, which was checked, and those of a directory that it points to.
    private mutating func eraseValue(at offset: Int) {
        guard let entry = try? readEntry(at: offset) else { return }
        if let kind = EXIFDirectoryKind.allCases.first(where: { $0.pointer == entry.tag }), let inner = directory(kind)
        {
            for offset in entryOffsets(inner) { eraseOutlying(at: offset) }
            erase((inner.entries - 2)..<min(bytes.count, inner.end + 4))
        }
        eraseOutlying(at: offset)
    }

    private mutating func eraseOutlying(at offset: Int) {
        guard let entry = try? readEntry(at: offset), entry.value.count > 4, let start = number(offset + 8, 4) else {
            return
        }
        erase(start..<(start + entry.value.count))
    }

    /// Overwrites bytes with zeros unless they overlap a directory, which an honest file's values never do.
    private mutating func erase(_ range: Range<Int>) {
        let tables = EXIFDirectoryKind.allCases.compactMap { directory($0) }.map { ($0.entries - 2)..<($0.end + 4) }
        let others = tables.filter { $0 != range && !($0.lowerBound == range.lowerBound) }
        guard range.lowerBound >= 8, !others.contains(where: { $0.overlaps(range) }) else { return }
        bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
    }

    /// A block with what EXIF 2.32 requires for an image of `size` and nothing else (4.6.8, tables 17 to 19).
    static func empty(_ size: PixelSize) -> EXIF {
        func text(_ value: String) -> [UInt8] { Array(value.utf8) }
        var exif = EXIF([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])!
        func entry(_ tag: Int, _ type: EXIFTagType, _ count: Int, _ value: [UInt8]) -> (Int, EXIFEntry?) {
            (tag, EXIFEntry(tag: tag, type: type, count: count, value: value))
        }
        let inch: [UInt8] = [0, 0, 0, 72, 0, 0, 0, 1]
        // The block is sound, so editing can't fail.
        try? exif.edit(
            Dictionary(uniqueKeysWithValues: [
                entry(0x011A, .rational, 1, inch), entry(0x011B, .rational, 1, inch), entry(0x0128, .short, 1, [0, 2]),
                entry(0x0213, .short, 1, [0, 1]),
            ]), in: .image)
        try? exif.edit(
            Dictionary(uniqueKeysWithValues: [
                entry(0x9000, .undefined, 4, text("0232")), entry(0x9101, .undefined, 4, [1, 2, 3, 0]),
                entry(0xA000, .undefined, 4, text("0100")), entry(0xA001, .short, 1, [0xFF, 0xFF]),
                entry(0xA002, .long, 1, size.width.bigEndianBytes(4)),
                entry(0xA003, .long, 1, size.height.bigEndianBytes(4)),
            ]), in: .details)
        return exif
    }
}
