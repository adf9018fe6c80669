internal import Raster

// A file whose primary item is tone-mapped (`tmap`, ISO/IEC 23008-12:2024/Amd 1), which neither libheif 1.15 nor libavif
// 0.11 decodes. They get a copy with its base as the primary image.
extension ISOImageItems {
    /// The image from which the primary item is derived by a gain map; nil if that isn't the primary item's kind.
    var toneMappedBase: Int? {
        guard let primary, type(of: primary) == "tmap", let base = parts(of: primary).first,
            let type = type(of: base), Self.imageTypes.contains(type)
        else { return nil }
        return base
    }

    /// A file whose base is its primary item.
    struct ShownBase {
        var file: [UInt8]
        var items: ISOImageItems
        /// The transformations to apply to the decoded base, which has none then; nil if it has its own.
        var transformation: ISOTransformation?
    }

    /// `file` with the base of a tone-mapped primary item as the primary image, which has that item's metadata and mask; nil
    /// if the file has no `meta` box.
    /// - Throws: `corrupt` for transformations that contradict declared sizes.
    static func showingBase(_ file: [UInt8]) throws(ImageError) -> ShownBase? {
        guard let items = ISOImageItems(file) else { return nil }
        guard let primary = items.primary, let base = items.toneMappedBase else {
            return ShownBase(file: file, items: items)
        }
        let transformation = try items.toneMappedTransformation(in: file)?.whole
        var copy = Self.copy(of: file, replacing: primary, with: base)
        // Libraries know one transformation of each kind. A mask is stored like the image.
        if transformation != nil { items.removeTransformations(of: [base] + items.auxiliaries(of: base), from: &copy) }
        return ISOImageItems(copy).map { ShownBase(file: copy, items: $0, transformation: transformation) }
    }

    /// `file` with `base`, which isn't hidden, in place of `primary` as the primary item and where metadata and masks refer
    /// to it. Numbers keep their lengths, and all offsets stay valid.
    private static func copy(of file: [UInt8], replacing primary: Int, with base: Int) -> [UInt8] {
        var copy = file
        guard let meta = ISOBoxReader(file, 0..<file.count).first("meta") else { return file }
        var reader = ISOBoxReader(file, meta.contents)
        _ = reader.versionAndFlags()
        /// Replaces the number of `byteCount` bytes that `fields` reads next, if it is `primary` and the other one fits.
        func replace(_ fields: inout ISOBoxReader, _ byteCount: Int) {
            let start = fields.offset
            guard fields.number(byteCount) == primary, base >> (8 * byteCount) == 0 else { return }
            copy.replaceSubrange(start..<(start + byteCount), with: base.bigEndianBytes(byteCount))
        }
        while let box = reader.box() {
            var contents = reader.contents(of: box)
            guard ["pitm", "iinf", "iref"].contains(box.type), let (version, _) = contents.versionAndFlags() else {
                continue
            }
            let byteCount = version == 0 ? 2 : 4
            switch box.type {
            case "pitm": replace(&contents, byteCount)
            case "iinf":
                _ = contents.number(byteCount)
                while let entry = contents.box() {
                    var fields = contents.contents(of: entry)
                    guard entry.type == "infe", let (version, _) = fields.versionAndFlags(), version >= 2,
                        fields.number(version == 2 ? 2 : 4) == base
                    else { continue }
                    // The last bit of the flags hides an item.
                    copy[entry.contents.lowerBound + 3] &= 0xFE
                }
            default:
                while let entry = contents.box() {
                    var fields = contents.contents(of: entry)
                    guard entry.type == "cdsc" || entry.type == "auxl", fields.skip(byteCount),
                        let count = fields.number(2)
                    else { continue }
                    for _ in 0..<count where !fields.isAtEnd { replace(&fields, byteCount) }
                }
            }
        }
        return copy
    }
}
