internal import Raster

/// The metadata in a file, tag by tag, and its changes.
///
/// JPEG, PNG and WebP files can be changed without decoding or moving anything else; the tags of all formats can be read.
package struct FileMetadata: Sendable {
    /// A tag's values as text.
    package struct Value: Hashable, Sendable {
        /// The block that it is stored in.
        package let group: MetadataTag.Group
        /// ExifTool's name; for an unknown EXIF tag its number, for an unknown XMP property its name.
        package let name: String
        /// The values, more than one for lists only.
        package let values: [String]

        /// The name with its group, such as "EXIF:Artist".
        package var fullName: String { "\(group.rawValue):\(name)" }
    }

    /// The file's format.
    package let format: ImageFormat
    private let file: [UInt8]
    private let limits: DecodingLimits
    /// The stored size in pixels.
    private let size: PixelSize
    private let stored: MetadataBlocks
    private var blocks: MetadataBlocks

    /// Reads the metadata of `file`, in any format that can be identified.
    /// - Throws: `corrupt` with the offset for a damaged file or block, and the errors of reading headers.
    package init(_ file: [UInt8], limits: DecodingLimits = .standard) throws(ImageError) {
        let options = DecodingOptions(color: .asStored, appliesOrientation: false, limits: limits)
        let header = try ImageSource.header(of: file, options: options)
        (self.file, self.limits, format, size) = (file, limits, header.format, header.storedSize)
        stored =
            try Self.container(file, format, limits)?.blocks
            ?? MetadataBlocks(exif: header.metadata.exif, xmp: header.metadata.xmp)
        blocks = stored
        for block in [stored.exif, stored.xmp, stored.iptc] where block?.count ?? 0 > limits.maximumMetadataByteCount {
            throw ImageError(
                .limitExceeded,
                "a block of metadata has \(block?.count ?? 0) bytes; the limit is \(limits.maximumMetadataByteCount)"
                    + " (DecodingLimits.maximumMetadataByteCount)")
        }
    }

    private static func container(
        _ file: [UInt8], _ format: ImageFormat, _ limits: DecodingLimits
    ) throws(ImageError) -> (any MetadataContainer)? {
        switch format {
        case .jpeg: return try JPEGMetadataContainer(file)
        case .png: return try PNGMetadataContainer(file, limits: limits)
        default: break
        }
        #if WebP
        if format == .webP { return try WebPMetadataContainer(file) }
        #endif
        return nil
    }

    /// The file with its metadata as it is now; the same bytes if nothing has changed.
    /// - Throws: `unsupported` for a format whose metadata can't be written, and for a block that doesn't fit.
    package func assembled() throws(ImageError) -> [UInt8] {
        guard blocks != stored else { return file }
        guard let container = try Self.container(file, format, limits) else {
            throw ImageError(
                .unsupported, "metadata can be changed in JPEG, PNG and WebP files, and this is a \(format.name)")
        }
        return try container.assembled(with: blocks)
    }
}

// MARK: - Reading

extension FileMetadata {
    /// All tags, in the order of their blocks. Blocks that can't be read are left out.
    package var values: [Value] { Self.values(blocks) }

    /// The tags in blocks as `ImageMetadata` has them.
    package static func values(of metadata: ImageMetadata) -> [Value] {
        values(MetadataBlocks(exif: metadata.exif, xmp: metadata.xmp))
    }

    private static func values(_ blocks: MetadataBlocks) -> [Value] {
        var all: [Value] = []
        if let exif = blocks.exif.flatMap({ EXIF($0) }) {
            for kind in EXIFDirectoryKind.allCases { all += values(exif, kind) }
        }
        if let document = try? blocks.xmp.map({ (bytes) throws(ImageError) in try XMPDocument(bytes) }) {
            for property in document.properties where !property.values.isEmpty {
                let tag = MetadataTag.all.first {
                    if case .xmp(let namespace, property.name) = $0.place {
                        namespace.address == property.namespace
                    } else {
                        false
                    }
                }
                all.append(Value(group: .xmp, name: tag?.name ?? property.name, values: property.values))
            }
        }
        if let block = try? blocks.iptc.map({ (bytes) throws(ImageError) in try IPTCBlock(bytes) }) {
            for number in block.numbers where number != 0 {
                let name = MetadataTag.all.first { $0.place == .iptc(number) }?.name ?? "2:\(number)"
                all.append(Value(group: .iptc, name: name, values: block.values(number)))
            }
        }
        return all
    }

    private static func values(_ exif: EXIF, _ kind: EXIFDirectoryKind) -> [Value] {
        let entries = exif.entries(kind)
        let pointers = EXIFDirectoryKind.allCases.compactMap(\.pointer)
        return entries.filter { !pointers.contains($0.tag) || kind != .image }.map { entry in
            let tag = MetadataTag.all.first { $0.place == .exif(kind, entry.tag) }
            var text = EXIFValue.text(entry, in: exif, tag: tag)
            if tag?.style == .degrees || tag?.name == "GPSAltitude",
                let reference = entries.first(where: { $0.tag == entry.tag - 1 }), isNegative(reference)
            {
                text = "-" + text
            }
            let digits = String(entry.tag, radix: 16)
            let number = "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            return Value(group: .exif, name: tag?.name ?? number, values: [text])
        }
    }

    /// Whether a position's reference is south, west or below the sea.
    private static func isNegative(_ reference: EXIFEntry) -> Bool {
        [UInt8(ascii: "S"), UInt8(ascii: "W"), 1].contains(reference.value.first ?? 0)
    }

    /// The values of `tag`; empty if it isn't there.
    package func values(of tag: MetadataTag) -> [String] {
        values.first { $0.group == tag.group && $0.name == tag.name }?.values ?? []
    }
}

// MARK: - Changing

extension FileMetadata {
    /// Sets a tag; a list gets all values, and other tags the last.
    /// - Throws: `invalidParameter` for a value that the tag can't have; `corrupt` for a block that can't be edited.
    package mutating func set(_ tag: MetadataTag, to values: [String]) throws(ImageError) {
        guard let last = values.last else { return try remove(tag) }
        let values = tag.isList ? values : [last]
        switch tag.place {
        case .exif(let kind, let number):
            try editEXIF { (exif) throws(ImageError) in
                var changes: [Int: EXIFEntry?] = [:]
                if kind == .position {
                    Self.addReference(tag, number, text: last, exif, to: &changes)
                }
                let text = tag.name == "GPSAltitude" && last.hasPrefix("-") ? String(last.dropFirst()) : last
                changes[number] = try EXIFValue.entry(tag, number: number, text: text, in: exif)
                try exif.edit(changes, in: kind)
            }
        case .xmp(let namespace, let name):
            try editXMP { (document) throws(ImageError) in
                try document.set(namespace, name, to: values, isList: tag.isList, hasLanguages: tag.hasLanguages)
            }
        case .iptc(let number):
            try editIPTC { $0.set(number, to: values) }
        }
    }

    /// Adds the entries that a position needs beside its number.
    private static func addReference(
        _ tag: MetadataTag, _ number: Int, text: String, _ exif: EXIF, to changes: inout [Int: EXIFEntry?]
    ) {
        let version = EXIFEntry(tag: 0, type: .byte, count: 4, value: [2, 3, 0, 0])
        if !exif.entries(.position).contains(where: { $0.tag == 0 }) { changes[0] = version }
        let isNegative = text.hasPrefix("-")
        if tag.style == .degrees {
            let letter = number == 2 ? (isNegative ? "S" : "N") : isNegative ? "W" : "E"
            changes[number - 1] = EXIFEntry(tag: number - 1, type: .ascii, count: 2, value: Array(letter.utf8) + [0])
        } else if tag.name == "GPSAltitude" {
            changes[number - 1] = EXIFEntry(tag: number - 1, type: .byte, count: 1, value: [isNegative ? 1 : 0])
        }
    }

    /// Removes a tag; does nothing if it isn't there.
    /// - Throws: `corrupt` for a block that can't be edited.
    package mutating func remove(_ tag: MetadataTag) throws(ImageError) {
        guard !values(of: tag).isEmpty else { return }
        switch tag.place {
        case .exif(let kind, let number):
            try editEXIF { (exif) throws(ImageError) in
                var changes: [Int: EXIFEntry?] = [:]
                changes.updateValue(nil, forKey: number)
                if tag.style == .degrees || tag.name == "GPSAltitude" { changes.updateValue(nil, forKey: number - 1) }
                try exif.edit(changes, in: kind)
            }
        case .xmp(let namespace, let name):
            try editXMP { (document) throws(ImageError) in
                try document.set(namespace, name, to: [], isList: false, hasLanguages: false)
            }
        case .iptc(let number):
            try editIPTC { $0.set(number, to: []) }
        }
    }

    /// Removes a block as a whole; the orientation stays.
    package mutating func remove(_ group: MetadataTag.Group) {
        switch group {
        case .exif:
            let orientation = blocks.exif.flatMap { EXIF($0) }?.orientation ?? .up
            blocks.exif = orientation == .up ? nil : EXIF.smallest(orientation)
        case .xmp: blocks.xmp = nil
        case .iptc: blocks.iptc = nil
        }
    }

    /// Removes everything about the place from EXIF.
    package mutating func removePosition() throws(ImageError) {
        guard let exif = blocks.exif.flatMap({ EXIF($0) }), exif.directory(.position) != nil else { return }
        try editEXIF { (exif) throws(ImageError) in
            var changes: [Int: EXIFEntry?] = [:]
            changes.updateValue(nil, forKey: EXIFDirectoryKind.position.pointer ?? 0)
            try exif.edit(changes, in: .image)
        }
    }

    /// Moves every date by a time, in EXIF, XMP and IPTC. Texts that aren't dates stay.
    package mutating func shiftDates(bySeconds seconds: Int) throws(ImageError) {
        for tag in MetadataTag.all where tag.isDate {
            guard let text = values(of: tag).last, let shifted = ImageDate.shifted(text, bySeconds: seconds) else {
                continue
            }
            try set(tag, to: [shifted])
        }
        try editIPTCDates(bySeconds: seconds)
    }

    private mutating func editIPTCDates(bySeconds seconds: Int) throws(ImageError) {
        guard let bytes = blocks.iptc else { return }
        var block = try IPTCBlock(bytes)
        // 20240531 and 120000+0100: without the time, a day is the least that can be shifted.
        guard let day = block.values(55).last, day.count == 8 else { return }
        let time = block.values(60).last ?? ""
        func part(_ text: String, _ start: Int, _ count: Int) -> Substring { text.dropFirst(start).prefix(count) }
        let clock = time.count >= 6 ? "\(part(time, 0, 2)):\(part(time, 2, 2)):\(part(time, 4, 2))" : "00:00:00"
        let text = "\(part(day, 0, 4)):\(part(day, 4, 2)):\(part(day, 6, 2)) \(clock)"
        guard let shifted = ImageDate.shifted(text, bySeconds: seconds) else { return }
        block.set(55, to: [shifted.prefix(10).filter { $0 != ":" }])
        if time.count >= 6 { block.set(60, to: [shifted.suffix(8).filter { $0 != ":" } + time.dropFirst(6)]) }
        blocks.iptc = block.encoded
    }

    /// Takes tags from another file; nil takes all blocks, but for the thumbnail, the orientation, and what belongs to
    /// further images in that file.
    /// - Throws: As `set(_:to:)`; `unsupported` for blocks that the format has no place for.
    package mutating func copy(_ tags: [MetadataTag]?, from other: FileMetadata) throws(ImageError) {
        if let tags {
            for tag in tags where tag.style != .readOnly {
                let values = other.values(of: tag)
                if !values.isEmpty { try set(tag, to: values) }
            }
            return
        }
        if let exif = other.blocks.exif, let read = EXIF(exif) {
            try read.checkForEditing()
            let orientation = blocks.exif.flatMap { EXIF($0) }?.orientation ?? .up
            blocks.exif = EXIF.block(EXIF.removingThumbnail(from: exif), orientation: orientation)
        }
        if let xmp = other.blocks.xmp { blocks.xmp = XMP.removingReferences(from: xmp) }
        if let iptc = other.blocks.iptc, format == .jpeg { blocks.iptc = iptc }
    }

    private mutating func editEXIF(_ body: (inout EXIF) throws(ImageError) -> Void) throws(ImageError) {
        var exif = EXIF.empty(size)
        if let bytes = blocks.exif {
            guard let read = EXIF(bytes) else {
                throw ImageError(.corrupt, "the EXIF block is damaged; it can only be removed as a whole")
            }
            exif = read
        }
        try body(&exif)
        blocks.exif = exif.bytes
    }

    private mutating func editXMP(_ body: (inout XMPDocument) throws(ImageError) -> Void) throws(ImageError) {
        var document = try XMPDocument(blocks.xmp ?? XMPDocument.empty)
        try body(&document)
        blocks.xmp = document.bytes
    }

    private mutating func editIPTC(_ body: (inout IPTCBlock) -> Void) throws(ImageError) {
        var block = try blocks.iptc.map { (bytes) throws(ImageError) in try IPTCBlock(bytes) } ?? IPTCBlock()
        body(&block)
        blocks.iptc = block.isEmpty ? nil : block.encoded
    }
}
