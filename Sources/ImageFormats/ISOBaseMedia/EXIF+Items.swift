internal import Raster

extension EXIF {
    /// The EXIF block in a HEIF item, which begins with the block's offset (ISO/IEC 23008-12, A.2.1); nil if none.
    static func block(inItem item: [UInt8]?) -> [UInt8]? {
        guard let item, let distance = item.bigEndian(at: 0, byteCount: 4) else { return nil }
        guard distance < item.count - 4 else { return nil }
        return withoutPrefix(Array(item[(4 + distance)...]))
    }

    /// The block without the "Exif" prefix used in JPEG, which some writers include; nil if it is empty.
    static func withoutPrefix(_ block: [UInt8]?) -> [UInt8]? {
        guard let block else { return nil }
        let bare = block.starts(with: EXIF.prefix) ? Array(block.dropFirst(6)) : block
        return bare.isEmpty ? nil : bare
    }
}

extension ImageMetadata {
    /// The EXIF block to write beside the boxes that set the orientation, which it matches; nil if there is none, or
    /// none that libraries would accept.
    var exifForHEIF: [UInt8]? { exif.flatMap { EXIF($0) } == nil ? nil : exifForWriting }
}

extension [UInt8] {
    /// A copy of a block lent by a shim; nil if it is empty.
    init?(shim bytes: UnsafePointer<UInt8>?, _ count: Int) {
        guard let bytes, count > 0 else { return nil }
        // The shim keeps these `count` bytes until its next call.
        self.init(UnsafeBufferPointer(start: bytes, count: count))
    }
}
