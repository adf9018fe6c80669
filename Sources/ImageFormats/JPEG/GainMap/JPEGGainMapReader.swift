internal import Raster

/// Finds the gain map in a JPEG file: a further JPEG after the base, whose own segments say that it is one.
///
/// The places to look come from the index of images ("MPF"), or without one from the lengths in Google's container
/// directory. Only the listed places are read, each once and never as a file with its own map, so an index that
/// leads back to itself ends.
struct JPEGGainMapReader {
    let source: Source
    let header: ImageHeader
    let options: DecodingOptions

    /// The largest number of images after the base that are tried.
    private static let maximumCandidateCount = 8

    /// Whether the header of a file announces further images or a gain map.
    static func mayFind(_ header: ImageHeader) -> Bool {
        guard header.format == .jpeg else { return false }
        return header.sequence?.kind == .pages || (header.metadata.xmp?.contains(GainMapMetadata.namespace) ?? false)
    }

    /// Reads the map as stored, before the base's orientation; nil if the file has none.
    /// - Throws: `truncated` if the file ends before the map that it announces, `corrupt` if that is missing; errors of
    ///   the map's metadata and header.
    func read() throws(ImageError) -> GainMap? {
        guard Self.mayFind(header), let byteCount = source.byteCount else { return nil }
        let xmp = header.metadata.xmp.map { XMP($0) }
        var isAnnounced = xmp?.properties(in: GainMapMetadata.namespace)["Version"] != nil
        var list: JPEGPictureList?
        for segment in try JPEGSegmentList(source).segments where segment.marker == 0xE2 {
            let payload = try source.bytes(upTo: segment.payload.count, at: segment.payload.lowerBound) ?? []
            switch JPEGMetadataSegment(payload, marker: segment.marker) {
            case .gainMap: isAnnounced = true
            case .multiPicture where list == nil:
                let prefix = JPEGMetadataSegment.multiPicturePrefix.count
                list = JPEGPictureList(
                    Array(payload.dropFirst(prefix)), at: segment.payload.lowerBound + prefix, limits: options.limits)
            default: break
            }
        }
        let ranges =
            list?.ranges.dropFirst() ?? xmp?.gainMapRange(byteCount: byteCount).map { [$0] } ?? []
        for range in ranges.prefix(Self.maximumCandidateCount) {
            if range.upperBound <= byteCount {
                if let map = try map(in: range) { return map }
            } else if isAnnounced {
                throw ImageError(
                    .truncated, "the file has \(byteCount) bytes, and its gain map ends at byte \(range.upperBound)",
                    byteOffset: byteCount)
            }
        }
        guard !isAnnounced else { throw ImageError(.corrupt, "the gain map that the file announces is missing") }
        return nil
    }

    /// The map in `range`; nil if the image there isn't one.
    private func map(in range: Range<Int>) throws(ImageError) -> GainMap? {
        let list: JPEGSegmentList
        do throws(ImageError) {
            list = try JPEGSegmentList(source, at: range.lowerBound)
        } catch {
            // Cameras list images in other formats too.
            guard error.code != .corrupt else { return nil }
            throw error
        }
        guard list.end <= range.count else { return nil }
        var (block, packet) = ([UInt8]?.none, [UInt8]?.none)
        for segment in list.segments where segment.marker == 0xE1 || segment.marker == 0xE2 {
            let payload =
                try source.bytes(upTo: segment.payload.count, at: range.lowerBound + segment.payload.lowerBound) ?? []
            switch JPEGMetadataSegment(payload, marker: segment.marker) {
            case .gainMap where block == nil:
                block = Array(payload.dropFirst(JPEGMetadataSegment.gainMapPrefix.count))
            case .xmp where packet == nil: packet = Array(payload.dropFirst(JPEGMetadataSegment.xmpPrefix.count))
            default: break
            }
        }
        // A base has the versions only.
        if let block, block.count > 4 {
            return try located(range) { () throws(ImageError) in
                GainMap(try image(in: range), try GainMapMetadata(iso21496: block)).withOwnProfile()
            }
        }
        guard let packet else { return nil }
        return try located(range) { () throws(ImageError) in
            if let metadata = try GainMapMetadata(xmp: packet) {
                return GainMap(try image(in: range), metadata).withOwnProfile()
            }
            guard let map = AppleGainMap(packet, baseEXIF: header.metadata.exif) else { return nil }
            return try map.converted(try image(in: range))
        }
    }

    /// The map's pixels as stored, decoded on demand.
    private func image(in range: Range<Int>) throws(ImageError) -> Image {
        guard range.count <= options.limits.maximumInputByteCount else {
            throw ImageError(
                .limitExceeded,
                "the gain map has more than \(options.limits.maximumInputByteCount) bytes, the limit "
                    + "(DecodingLimits.maximumInputByteCount)")
        }
        let options = DecodingOptions(
            color: .asStored, appliesOrientation: false, imageIndex: 0, limits: options.limits)
        let encoded = try EncodedImage(
            source.bytes(range.count, at: range.lowerBound), options: options, registry: CodecRegistry([JPEGCodec()]))
        return Image(deferred: encoded).withGainMap(nil)
    }

    private func located<R>(
        _ range: Range<Int>, _ body: () throws(ImageError) -> R
    ) throws(ImageError) -> R {
        do throws(ImageError) {
            return try body()
        } catch {
            throw error.inPart("gain map", at: range.lowerBound)
        }
    }
}

extension GainMap {
    /// The map with its file's profile as the alternate rendition's (ISO 21496-1, 5.3).
    fileprivate func withOwnProfile() -> GainMap {
        guard case .icc = image.info.profile else { return self }
        var map = self
        map.alternateProfile = image.info.profile
        return map
    }
}

extension XMP {
    /// The range of the gain map in a file of `byteCount` bytes, by the directory of Google's container: items follow
    /// the base in order, up to the file's end. Nil without a directory, or if it doesn't fit in the file.
    fileprivate func gainMapRange(byteCount: Int) -> Range<Int>? {
        var walk = XMPWalk(bytes)
        var prefixes = Prefixes(bytes, of: [Array("http://ns.google.com/photos/1.0/container/item/".utf8)])
        // From the map on, the lengths of the items.
        var lengths: [Int] = []
        while let event = walk.nextEvent() {
            guard case .start(let tag) = event else { continue }
            _ = prefixes.declare(tag)
            var values: [String: String] = [:]
            for attribute in tag.attributes {
                guard let name = prefixes.localName(attribute.name) else { continue }
                values[String(decoding: bytes[name], as: UTF8.self)] =
                    String(decoding: bytes[trimmed(attribute.value)], as: UTF8.self)
            }
            guard let semantic = values["Semantic"], semantic == "GainMap" || !lengths.isEmpty else { continue }
            guard let length = values["Length"].flatMap({ Int($0) }), length > 0, length < byteCount else { return nil }
            lengths.append(length)
        }
        guard let length = lengths.first, lengths.count < 1000 else { return nil }
        let start = byteCount - lengths.reduce(0, +)
        return start > 0 ? start..<(start + length) : nil
    }
}
