internal import Raster

extension JPEGTransformation {
    /// Returns a segment as it describes the result; nil if it describes only the image before the change.
    static func adjusted(
        _ segment: JPEGMetadataPayload, turn: Orientation, size: PixelSize, dropsPictures: Bool
    ) -> JPEGMetadataPayload? {
        var result = segment
        switch segment.kind {
        case .exif:
            guard var exif = EXIF(Array(segment.bytes.dropFirst(EXIF.prefix.count))) else { return segment }
            exif.setPixelSize(size)
            result.bytes = EXIF.prefix + (EXIF.block(exif.bytes, orientation: .up) ?? [])
        case .xmp:
            let packet = Array(segment.bytes.dropFirst(JPEGMetadataSegment.xmpPrefix.count))
            let kept = dropsPictures ? XMP.removingReferences(from: packet) : packet
            result.bytes = JPEGMetadataSegment.xmpPrefix + XMP.packet(kept, orientation: .up)
        case .extendedXMP where dropsPictures: return nil
        case .multiPicture, .gainMap: return nil
        case .icc, .extendedXMP: break
        case nil: return adjustedJFIF(segment, turn: turn)
        }
        return result
    }

    /// Exchanges the densities of a turned image, and removes JFIF's thumbnail (JFIF 1.02).
    private static func adjustedJFIF(_ segment: JPEGMetadataPayload, turn: Orientation) -> JPEGMetadataPayload? {
        guard segment.marker == 0xE0 else { return segment }
        // An extension segment holds nothing but a thumbnail.
        if segment.bytes.starts(with: "JFXX\0".utf8) { return nil }
        guard segment.bytes.starts(with: "JFIF\0".utf8), segment.bytes.count >= 14 else { return segment }
        var result = segment
        result.bytes = Array(segment.bytes.prefix(12)) + [0, 0]
        if turn.swapsSides {
            result.bytes.replaceSubrange(8..<12, with: segment.bytes[10..<12] + segment.bytes[8..<10])
        }
        return result
    }

    /// Returns `file` with its EXIF thumbnail made again, about as large as `thumbnail`.
    static func renewingThumbnail(
        _ thumbnail: [UInt8], of file: [UInt8], _ options: DecodingOptions
    ) throws(ImageError) -> [UInt8] {
        let registry = CodecRegistry([JPEGCodec()])
        let size = (try? ImageSource.header(of: thumbnail, options: options, registry: registry))?.storedSize
        let side = min(512, max(16, size.map { max($0.width, $0.height) } ?? 160))
        let box = PixelSize(width: side, height: side)
        let small = try ImageSource.decode(file, plan: DecodingPlan(fitting: box), options: options, registry: registry)
        var parts = try JPEGParts(file)
        parts.segments = parts.segments.map { segment in
            guard segment.kind == .exif else { return segment }
            var metadata = ImageMetadata(exif: Array(segment.bytes.dropFirst(EXIF.prefix.count)))
            metadata.removeThumbnail()
            metadata.addThumbnail(of: small.bitmap, pixelSize: side)
            var renewed = segment
            renewed.bytes = EXIF.prefix + (metadata.exif ?? [])
            return renewed
        }
        return try parts.assembled()
    }
}

extension ImageMetadata {
    /// Removes the thumbnail from the EXIF block.
    fileprivate mutating func removeThumbnail() { exif = EXIF.removingThumbnail(from: exif) }
}

extension EXIF {
    /// Sets the image's size in the EXIF directory, where it is stored (EXIF 2.32, 4.6.5, PixelXDimension).
    mutating func setPixelSize(_ size: PixelSize) {
        guard let details = integer(.exifDirectory, in: first).flatMap({ directory(at: $0) }) else { return }
        for (tag, value) in [(Tag.pixelWidth, size.width), (Tag.pixelHeight, size.height)] {
            guard let entry = entry(tag, in: details), integer(tag, in: details) != nil,
                let value = UInt32(exactly: value)
            else { continue }
            // The entry has 12 bytes in the block, by `directory(at:)`.
            bytes.replaceSubrange(
                entry..<(entry + EXIFDirectory.entryByteCount), with: encodedEntry(tag, long: Int(value)))
        }
    }
}
