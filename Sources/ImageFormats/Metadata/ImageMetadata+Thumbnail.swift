public import Raster

extension ImageMetadata {
    /// The thumbnail in the EXIF block, a JPEG file; nil if there is none or it isn't a JPEG.
    public var embeddedThumbnail: [UInt8]? { exif.flatMap { EXIF($0) }?.thumbnail }

    /// Decodes the thumbnail in the EXIF block; returns nil if there is none.
    ///
    /// The image's orientation is applied to it unless the options turn that off. A thumbnail may be older than the
    /// image, or show more of it.
    /// - Throws: Decoding errors.
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
    /// Adds a thumbnail of `bitmap`, at most `pixelSize` pixels on its longer side, to the EXIF block, at the best
    /// quality that fits in a JPEG's EXIF segment. Changes nothing if there is no room.
    mutating func addThumbnail(of bitmap: Bitmap, pixelSize: Int) {
        let block = EXIF.removingThumbnail(from: exif)
        // The thumbnail's directory takes 94 bytes, a new block 26.
        let room = JPEGMetadataSegment.maximumByteCount - EXIF.prefix.count - (block?.count ?? 26) - 96
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
    /// The JPEG thumbnail, which the second directory points to (EXIF 2.32, 4.5.8); nil if there is none.
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

    /// `block` without its thumbnail, which would show the image before a change; its bytes are zeroed or removed.
    static func removingThumbnail(from block: [UInt8]?) -> [UInt8]? {
        guard var exif = block.flatMap({ EXIF($0) }) else { return block }
        exif.removeThumbnail()
        return exif.bytes
    }

    private mutating func removeThumbnail() {
        guard number(first.end, 4) ?? 0 != 0 else { return }
        // A range that overlaps the first directory isn't a thumbnail's; clearing it would destroy the directory.
        if let range = thumbnailRange, range.lowerBound >= 8, !range.overlaps((first.entries - 2)..<(first.end + 4)) {
            bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
            if range.upperBound == bytes.count { bytes.removeLast(range.count) }
        }
        bytes.replaceSubrange(first.end..<(first.end + 4), with: [0, 0, 0, 0])
    }

    /// `block`, or a new one, with `jpeg` as its thumbnail.
    static func block(_ block: [UInt8]?, thumbnail jpeg: [UInt8]) -> [UInt8]? {
        guard var exif = EXIF(block ?? smallest(.up)) else { return block }
        exif.setThumbnail(jpeg)
        return exif.bytes
    }

    private mutating func setThumbnail(_ jpeg: [UInt8]) {
        removeThumbnail()
        // The second directory's offset follows the first directory; a block may end before it.
        let missing = max(0, first.end + 4 - bytes.count)
        bytes += [UInt8](repeating: 0, count: missing + (bytes.count + missing) % 2)
        let directory = bytes.count
        bytes.replaceSubrange(first.end..<(first.end + 4), with: encoded(directory, 4))
        let resolution = directory + 2 + 6 * EXIFDirectory.entryByteCount + 4
        bytes += encoded(6, 2)
        // 6 is JPEG.
        bytes += encodedEntry(.compression, short: 6)
        // The standard requires a resolution: 72 pixels per inch, both ways.
        for tag in [Tag.horizontalResolution, .verticalResolution] {
            bytes += encoded(tag.rawValue, 2) + encoded(5, 2) + encoded(1, 4) + encoded(resolution, 4)
        }
        bytes += encodedEntry(.resolutionUnit, short: 2)
        bytes += encodedEntry(.thumbnailOffset, long: resolution + 8)
        bytes += encodedEntry(.thumbnailByteCount, long: jpeg.count)
        bytes += [0, 0, 0, 0] + encoded(72, 4) + encoded(1, 4) + jpeg
    }
}
