public import Raster

extension ImageMetadata {
    /// The small picture in the EXIF block, a JPEG file; nil where there is none, or one that isn't a JPEG.
    public var embeddedThumbnail: [UInt8]? { exif.flatMap { EXIF($0) }?.thumbnail }

    /// The small picture in the EXIF block, decoded; nil where there is none.
    ///
    /// It is stored the way the large one is, and turned like it unless the options leave orientation aside. A preview:
    /// it may be older than the picture, or show more of it.
    /// - Throws: What decoding reports.
    public func embeddedThumbnailBitmap(
        options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) -> Bitmap? {
        guard let file = embeddedThumbnail else { return nil }
        var stored = options.single
        stored.appliesOrientation = false
        let codec = registry.codec(for: .jpeg) ?? JPEGCodec()
        let decoded = try ImageSource.decode(file, options: stored, registry: CodecRegistry([codec]))
        if let error = decoded.error { throw error }
        return options.appliesOrientation ? try decoded.bitmap.oriented(by: orientation) : decoded.bitmap
    }
}

extension ImageMetadata {
    /// Puts a thumbnail of `bitmap`, `pixelSize` pixels on its longer side at most, into the EXIF block, as good as there
    /// is room for it in a JPEG's EXIF segment. Where there is none the metadata stays as it is.
    mutating func addThumbnail(of bitmap: Bitmap, pixelSize: Int) {
        let block = EXIF.removingThumbnail(from: exif)
        // Its directory takes 42 bytes, a block made for it 26.
        let room = JPEGMetadataSegment.maximumByteCount - EXIF.prefix.count - (block?.count ?? 26) - 44
        guard room > 0, let jpeg = try? Self.thumbnail(of: bitmap, pixelSize: pixelSize, maximumByteCount: room)
        else { return }
        exif = EXIF.block(block, thumbnail: jpeg)
    }

    private static func thumbnail(
        of bitmap: Bitmap, pixelSize: Int, maximumByteCount: Int
    ) throws(ImageError) -> [UInt8] {
        let size = bitmap.size.fitted(within: PixelSize(width: pixelSize, height: pixelSize))
        var small = try bitmap.resampled(to: size)
        if small.profile != .sRGB {
            let straight = small.alpha == .premultiplied ? try small.converted(alpha: .straight) : small
            small = try straight.convertedToSRGB()
        }
        let options = EncodingOptions(maximumByteCount: maximumByteCount)
        return try ImageDestination(format: .jpeg, options: options, registry: CodecRegistry([JPEGCodec()]))
            .encode(small)
    }
}

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
