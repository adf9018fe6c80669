/// Where a directory of an EXIF block's TIFF structure stands.
struct EXIFDirectory {
    /// Where its entries begin, and how many there are. All of them lie within the block.
    let entries: Int
    let entryCount: Int

    /// Bytes of one entry: tag, type, count, and the value or its offset.
    static let entryByteCount = 12

    /// Where the entries end and the offset of the directory that follows stands, unless the block ends there.
    var end: Int { entries + entryCount * Self.entryByteCount }
}
