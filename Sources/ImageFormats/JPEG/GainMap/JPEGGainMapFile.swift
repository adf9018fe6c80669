internal import Raster

/// A gain map encoded as the second image of a JPEG file, and the segments that refer to it.
///
/// Both forms of metadata are written: ISO 21496-1, and Ultra HDR's XMP with Google's container directory. The index of
/// images (CIPA DC-007, "MPF") has the offsets.
struct JPEGGainMapFile {
    /// The map as a separate JPEG, with its metadata.
    private let map: [UInt8]

    /// The quality of a map that is encoded again: its errors are multiplied by the gain.
    private static let quality = 0.95

    /// Encodes `map`, or copies its JPEG if its pixels are as they were stored.
    init(_ map: GainMap) throws(ImageError) {
        var head = Self.segment(0xE1, JPEGMetadataSegment.xmpPrefix + map.metadata.xmp)
        head += Self.segment(0xE2, JPEGMetadataSegment.gainMapPrefix + map.metadata.iso21496)
        self.map = try Self.file(map, adding: head)
    }

    private static func file(_ map: GainMap, adding head: [UInt8]) throws(ImageError) -> [UInt8] {
        // A change of the colour space needs another profile in the file.
        if map.image.orientation == .up, let stored = map.image.provider as? EncodedImage, let bytes = stored.memory,
            stored.header.format == .jpeg, stored.info.profile == (map.alternateProfile ?? .sRGB)
        {
            let list = try JPEGSegmentList(Source(bytes))
            // EXIF, XMP and any index of images would no longer be true; the profile still is.
            var copy = Array(bytes[..<list.place])
            var position = list.place
            for segment in list.segments.reversed() where segment.range.upperBound <= list.place {
                if !Self.isKept(segment, bytes) { copy.removeSubrange(segment.range) }
            }
            copy += head
            for segment in list.segments where segment.range.lowerBound >= list.place {
                copy += bytes[position..<segment.range.lowerBound]
                if Self.isKept(segment, bytes) { copy += bytes[segment.range] }
                position = segment.range.upperBound
            }
            return copy + bytes[position...]
        }
        var bitmap = try map.image.bitmap()
        // The values aren't colours: the profile is the alternate rendition's.
        bitmap = bitmap.withMeaning(alpha: bitmap.alpha, profile: map.alternateProfile ?? .sRGB)
        let options = EncodingOptions(quality: quality, jpeg: .init(subsampling: .yuv444, optimizesTables: true))
        let buffer = ByteBuffer()
        try ImageDestination(format: .jpeg, options: options, registry: CodecRegistry([JPEGCodec()]))
            .encode(bitmap, to: buffer)
        return try inserting(head, into: buffer.bytes)
    }

    /// Whether a map that is copied keeps `segment`: a profile, or what JFIF's and Adobe's segments say of its colours.
    private static func isKept(_ segment: JPEGSegmentList.Segment, _ bytes: [UInt8]) -> Bool {
        segment.marker == 0xE0 || segment.marker == 0xEE
            || JPEGMetadataSegment(Array(bytes[segment.payload]), marker: segment.marker) == .icc
    }

    /// The number of bytes that the map and the segments that refer to it add to a file, at most.
    var byteCount: Int { map.count + 4096 }

    /// The base's XMP: `packet` with the directory of Google's container.
    func packet(extending packet: [UInt8]?) -> [UInt8] {
        let hdrgm = String(decoding: GainMapMetadata.namespace, as: UTF8.self)
        func item(_ semantic: String, _ length: Int?) -> String {
            "<rdf:li rdf:parseType=\"Resource\"><Container:Item Item:Semantic=\"\(semantic)\" Item:Mime=\"image/jpeg\""
                + (length.map { " Item:Length=\"\($0)\"" } ?? "") + "/></rdf:li>"
        }
        return XMP.packet(
            packet,
            adding: "<rdf:Description rdf:about=\"\""
                + " xmlns:Container=\"http://ns.google.com/photos/1.0/container/\""
                + " xmlns:Item=\"http://ns.google.com/photos/1.0/container/item/\""
                + " xmlns:hdrgm=\"\(hdrgm)\" hdrgm:Version=\"1.0\">"
                + "<Container:Directory><rdf:Seq>\(item("Primary", nil))\(item("GainMap", map.count))</rdf:Seq>"
                + "</Container:Directory></rdf:Description>")
    }

    /// Returns `base`, a JPEG without XMP, with the map and all that refers to it.
    func adding(to base: [UInt8]) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        try write(
            Self.inserting(
                Self.segment(0xE1, JPEGMetadataSegment.xmpPrefix + packet(extending: nil)), into: base), to: buffer)
        return buffer.bytes
    }

    /// Writes `base` with the segments that refer to the map, then the map.
    func write(_ base: [UInt8], to output: any ByteSink) throws(ImageError) {
        // The base has the versions only.
        let version = Self.segment(0xE2, JPEGMetadataSegment.gainMapPrefix + [0, 0, 0, 0])
        let place = try JPEGSegmentList(Source(base)).place
        let indexHead = 4 + JPEGMetadataSegment.multiPicturePrefix.count
        let baseByteCount = base.count + version.count + indexHead + Self.indexByteCount
        let index = Self.index(
            baseByteCount: baseByteCount, mapByteCount: map.count,
            // Offsets count from the index's first byte.
            mapOffset: baseByteCount - (place + version.count + indexHead))
        let segments = version + Self.segment(0xE2, JPEGMetadataSegment.multiPicturePrefix + index)
        try output.write(base.span.bytes.extracting(..<place))
        try output.write(segments.span.bytes)
        try output.write(base.span.bytes.extracting(place...))
        try output.write(map.span.bytes)
    }

    private static func inserting(_ head: [UInt8], into file: [UInt8]) throws(ImageError) -> [UInt8] {
        let place = try JPEGSegmentList(Source(file)).place
        return file[..<place] + head + file[place...]
    }

    private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker] + (payload.count + 2).bigEndianBytes(2) + payload
    }

    /// The length of an index of two images: a TIFF header, a directory of three entries, and two images of 16 bytes.
    private static let indexByteCount = 8 + 2 + 3 * 12 + 4 + 2 * 16

    /// An index of two images (CIPA DC-007, 5.2).
    private static func index(baseByteCount: Int, mapByteCount: Int, mapOffset: Int) -> [UInt8] {
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            tag.bigEndianBytes(2) + type.bigEndianBytes(2) + count.bigEndianBytes(4) + value
        }
        var index: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 3]
        index += entry(0xB000, 7, 4, Array("0100".utf8))
        index += entry(EXIF.Tag.pictureCount.rawValue, 4, 1, 2.bigEndianBytes(4))
        index += entry(EXIF.Tag.pictureList.rawValue, 7, 32, (indexByteCount - 32).bigEndianBytes(4))
        index += [0, 0, 0, 0]
        // A baseline image that is the file's representative one, then an image of undefined type.
        index += 0x030000.bigEndianBytes(4) + baseByteCount.bigEndianBytes(4) + [0, 0, 0, 0, 0, 0, 0, 0]
        index += 0.bigEndianBytes(4) + mapByteCount.bigEndianBytes(4) + mapOffset.bigEndianBytes(4) + [0, 0, 0, 0]
        return index
    }
}

extension JPEGCodec: GainMapCoding {
    func mayHaveGainMap(_ header: ImageHeader) -> Bool { JPEGGainMapReader.mayFind(header) }

    func gainMap(
        in source: Source, of header: ImageHeader, options: DecodingOptions
    ) throws(ImageError) -> GainMap? {
        try JPEGGainMapReader(source: source, header: header, options: options).read()
    }

    func encode(
        _ map: GainMap, options: EncodingOptions, output: any ByteSink,
        base: (EncodingOptions, any ByteSink) throws(ImageError) -> Void
    ) throws(ImageError) {
        let file = try JPEGGainMapFile(map)
        var options = options
        options.metadata.xmp = file.packet(extending: options.metadata.xmp)
        if let maximum = options.maximumByteCount { options.maximumByteCount = max(1, maximum - file.byteCount) }
        let buffer = ByteBuffer()
        try base(options, buffer)
        try file.write(buffer.bytes, to: output)
    }
}
