internal import Raster

extension EXIF {
    /// The block in an item of HEIF, which begins with the distance to it (ISO/IEC 23008-12, A.2.1); nil for none.
    static func block(inItem item: [UInt8]?) -> [UInt8]? {
        guard let item, let distance = item.bigEndian(at: 0, byteCount: 4) else { return nil }
        guard distance < item.count - 4 else { return nil }
        return withoutPrefix(Array(item[(4 + distance)...]))
    }

    /// The block without the "Exif" that precedes it in JPEG, and that some writers carry over; nil for none.
    static func withoutPrefix(_ block: [UInt8]?) -> [UInt8]? {
        guard let block else { return nil }
        let bare = block.starts(with: EXIF.prefix) ? Array(block.dropFirst(6)) : block
        return bare.isEmpty ? nil : bare
    }
}

extension ImageMetadata {
    /// The EXIF block to write beside boxes that turn the picture, which it agrees with; nil where there is none that
    /// libraries would take.
    var exifForHEIF: [UInt8]? { exif.flatMap { EXIF($0) } == nil ? nil : exifForWriting }
}

extension [UInt8] {
    /// A copy of a block that a shim lends; nil where there is none.
    init?(shim bytes: UnsafePointer<UInt8>?, _ count: Int) {
        guard let bytes, count > 0 else { return nil }
        // The shim keeps `count` bytes there until its next call.
        self.init(UnsafeBufferPointer(start: bytes, count: count))
    }
}
