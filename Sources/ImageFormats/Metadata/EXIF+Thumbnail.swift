internal import Raster

extension EXIF {
    /// The JPEG thumbnail, which the directory behind the first one points to (EXIF 2.32, 4.5.8); nil where there is none.
    var thumbnail: [UInt8]? {
        guard let range = thumbnailRange, bytes[range].starts(with: [0xFF, 0xD8]) else { return nil }
        return Array(bytes[range])
    }

    private var thumbnailRange: Range<Int>? {
        guard let offset = number(first.end, 4), let second = directory(at: offset),
            let start = integer(.thumbnailOffset, in: second), let count = integer(.thumbnailByteCount, in: second),
            start + count <= bytes.count
        else { return nil }
        return start..<(start + count)
    }

    /// `block` without its thumbnail, whose bytes are gone: a changed picture's old thumbnail shows what was cut away.
    static func removingThumbnail(from block: [UInt8]?) -> [UInt8]? {
        guard var exif = block.flatMap({ EXIF($0) }) else { return block }
        exif.removeThumbnail()
        return exif.bytes
    }

    private mutating func removeThumbnail() {
        guard number(first.end, 4) ?? 0 != 0 else { return }
        // A range that reaches into the first directory is no thumbnail's, and would take the directory with it.
        if let range = thumbnailRange, range.lowerBound >= 8, !range.overlaps((first.entries - 2)..<(first.end + 4)) {
            bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
            if range.upperBound == bytes.count { bytes.removeLast(range.count) }
        }
        bytes.replaceSubrange(first.end..<(first.end + 4), with: [0, 0, 0, 0])
    }

    /// `block`, or one made for the purpose, with `jpeg` as its thumbnail.
    static func block(_ block: [UInt8]?, thumbnail jpeg: [UInt8]) -> [UInt8]? {
        guard var exif = EXIF(block ?? smallest(.up)) else { return block }
        exif.setThumbnail(jpeg)
        return exif.bytes
    }

    private mutating func setThumbnail(_ jpeg: [UInt8]) {
        removeThumbnail()
        // The first directory is followed by the offset of the second; a block may end before it.
        let missing = max(0, first.end + 4 - bytes.count)
        bytes += [UInt8](repeating: 0, count: missing + (bytes.count + missing) % 2)
        let directory = bytes.count
        bytes.replaceSubrange(first.end..<(first.end + 4), with: encoded(directory, 4))
        bytes += encoded(3, 2)
        // 6 is JPEG.
        bytes += encodedEntry(.compression, short: 6)
        bytes += encodedEntry(.thumbnailOffset, long: directory + 2 + 3 * EXIFDirectory.entryByteCount + 4)
        bytes += encodedEntry(.thumbnailByteCount, long: jpeg.count)
        bytes += [0, 0, 0, 0] + jpeg
    }
}
