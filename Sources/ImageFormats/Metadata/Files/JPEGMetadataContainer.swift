internal import Raster

/// A JPEG's metadata, in APP1 and APP13.
struct JPEGMetadataContainer: MetadataContainer {
    private let parts: JPEGParts
    let blocks: MetadataBlocks

    init(_ file: [UInt8]) throws(ImageError) {
        let parts = try JPEGParts(file)
        func first(_ kind: JPEGMetadataSegment, _ prefix: Int) -> [UInt8]? {
            parts.segments.first { $0.kind == kind }.map { Array($0.bytes.dropFirst(prefix)) }
        }
        // Damaged ones matter only to those who change them.
        let iptc = try? Self.resources(in: parts.segments).iptc
        blocks = MetadataBlocks(
            exif: first(.exif, EXIF.prefix.count), xmp: first(.xmp, JPEGMetadataSegment.xmpPrefix.count), iptc: iptc)
        self.parts = parts
    }

    private static func isPhotoshop(_ segment: JPEGMetadataPayload) -> Bool {
        segment.marker == 0xED && segment.bytes.starts(with: PhotoshopResources.prefix)
    }

    /// The resources, which continue from segment to segment.
    private static func resources(in segments: [JPEGMetadataPayload]) throws(ImageError) -> PhotoshopResources {
        try PhotoshopResources(
            segments.filter(isPhotoshop).flatMap { $0.bytes.dropFirst(PhotoshopResources.prefix.count) })
    }

    func assembled(with new: MetadataBlocks) throws(ImageError) -> [UInt8] {
        var parts = parts
        var segments = parts.segments
        /// Replaces the first segment of a kind, or inserts one after those that precede its kind.
        func replace(
            _ isOne: (JPEGMetadataPayload) -> Bool, _ marker: UInt8, with bytes: [UInt8]?,
            after isBefore: (JPEGMetadataPayload) -> Bool
        ) {
            let index = segments.firstIndex(where: isOne)
            if let index, let bytes { return segments[index].bytes = bytes }
            if let index { segments.remove(at: index) }
            guard let bytes else { return }
            let place = segments.lastIndex(where: isBefore).map { $0 + 1 } ?? 0
            segments.insert(JPEGMetadataPayload(marker: marker, bytes: bytes), at: place)
        }
        let isJFIF: (JPEGMetadataPayload) -> Bool = { $0.marker == 0xE0 }
        if new.exif != blocks.exif {
            replace({ $0.kind == .exif }, 0xE1, with: new.exif.map { EXIF.prefix + $0 }, after: isJFIF)
        }
        if new.xmp != blocks.xmp {
            replace(
                { $0.kind == .xmp }, 0xE1, with: new.xmp.map { JPEGMetadataSegment.xmpPrefix + $0 },
                after: { isJFIF($0) || $0.kind == .exif })
            // Extended XMP belongs to the packet that refers to it.
            if new.xmp == nil { segments.removeAll { $0.kind == .extendedXMP } }
        }
        if new.iptc != blocks.iptc {
            var resources = try Self.resources(in: segments)
            resources.iptc = new.iptc
            let place =
                segments.firstIndex(where: Self.isPhotoshop)
                ?? segments.lastIndex { isJFIF($0) || $0.kind == .exif || $0.kind == .xmp }.map { $0 + 1 } ?? 0
            segments.removeAll(where: Self.isPhotoshop)
            segments.insert(
                contentsOf: resources.segments.map { JPEGMetadataPayload(marker: 0xED, bytes: $0) },
                at: min(place, segments.count))
        }
        parts.segments = segments
        return try parts.assembled()
    }
}
