internal import Raster

/// The gain map of a HEIF or AVIF file: an image item, and its meaning for the primary image.
///
/// It belongs to a tone-mapped item (`tmap`, ISO/IEC 23008-12:2024/Amd 1), which contains ISO 21496-1's metadata and is
/// derived from the base and the map. The base or the tone-mapped item is the primary one, and the other an alternative of
/// it. Or the map is Apple's auxiliary image.
///
/// libheif 1.15 and libavif 0.11 support neither, so they decode the map from a file that has nothing else.
struct ISOGainMap {
    private enum Meaning {
        case toneMapped(GainMapMetadata, alternate: ColorProfile?)
        case apple(AppleGainMap)
    }

    private let item: Int
    private let meaning: Meaning

    /// ISO's metadata for three channels has 141 bytes; later versions may append fields.
    private static let maximumMetadataByteCount = 4096

    /// Finds the map; nil if the file has none.
    /// - Throws: `corrupt` for a tone-mapped item that isn't derived from two images; errors of the metadata.
    static func find(
        _ reader: ISOItemReader, baseEXIF: [UInt8]?, limits: DecodingLimits
    ) throws(ImageError) -> ISOGainMap? {
        let items = reader.items
        guard let primary = items.primary else { return nil }
        let base = items.toneMappedBase ?? primary
        for candidate in items.items(of: "tmap")
        where candidate == primary || items.areAlternatives(candidate, primary) {
            let parts = items.parts(of: candidate)
            guard parts.first == base, candidate != base else { continue }
            guard parts.count == 2, parts[1] != base, let type = items.type(of: parts[1]) else {
                throw ImageError(
                    .corrupt, "invalid gain map: item \(candidate) is derived from items \(parts), expected two images")
            }
            guard ISOImageItems.imageTypes.contains(type) else {
                throw ImageError(.unsupported, "the gain map is an item of type '\(type)'")
            }
            let metadata = try Self.metadata(of: candidate, reader, limits)
            return ISOGainMap(
                item: parts[1],
                meaning: .toneMapped(metadata, alternate: items.profile(of: candidate, in: reader.boxes)))
        }
        for candidate in items.auxiliaries(of: base) {
            guard items.type(of: candidate).map({ ISOImageItems.imageTypes.contains($0) }) ?? false,
                items.properties(of: candidate).contains(where: { $0.isAppleGainMap(in: reader.boxes) }),
                let map = AppleGainMap(auxiliary: try reader.xmp(of: candidate, limits: limits), baseEXIF: baseEXIF)
            else { continue }
            return ISOGainMap(item: candidate, meaning: .apple(map))
        }
        return nil
    }

    private static func metadata(
        of item: Int, _ reader: ISOItemReader, _ limits: DecodingLimits
    ) throws(ImageError) -> GainMapMetadata {
        let limit = limits.maximumMetadataByteCount
        guard let data = try reader.data(of: item, limit: limit, "maximumMetadataByteCount"),
            let version = data.bytes.first
        else {
            throw ImageError(.truncated, "the metadata of the gain map is missing")
        }
        guard version == 0 else {
            throw ImageError(
                .unsupported, "the gain map has a tone-mapped item of version \(version), expected 0",
                byteOffset: data.offset)
        }
        do throws(ImageError) {
            return try GainMapMetadata(iso21496: Array(data.bytes.dropFirst().prefix(maximumMetadataByteCount)))
        } catch {
            throw error.inPart("gain map", at: data.offset + 1)
        }
    }

    /// The map as stored beside a base stored in `orientation`, decoded by `codec` on demand. A derived image combines
    /// upright images, so the map's own orientation needn't be the base's; the derived image's applies to both.
    /// - Throws: `unsupported` if the item can't be read alone; `limitExceeded`; errors of the map's header.
    func map(
        in reader: ISOItemReader, of codec: any ImageCodec, besideBase orientation: Orientation, limits: DecodingLimits
    ) throws(ImageError) -> GainMap {
        let file = try ISOItemFile(item, of: reader, limits: limits).bytes
        let image = try Image.gainMap(in: file, of: codec, limits: limits)
        let map =
            switch meaning {
            case .toneMapped(let metadata, let alternate): GainMap(image, metadata, alternateProfile: alternate)
            case .apple(let map): try map.converted(image)
            }
        guard let last = try reader.items.toneMappedTransformation(in: reader.boxes)?.last else {
            return map.oriented(by: orientation.inverse)
        }
        return map.cropped(to: PixelRegion(last.crop), of: last.size, scaledTo: last.crop.size)
            .oriented(by: last.orientation).oriented(by: orientation.inverse)
    }
}

extension ISOBoxReader.Box {
    /// Whether the property is the type of Apple's gain maps (ISO/IEC 23008-12, 6.5.8).
    fileprivate func isAppleGainMap(in file: [UInt8]) -> Bool {
        type == "auxC" && file[contents].dropFirst(4).starts(with: AppleGainMap.auxiliaryType.utf8)
    }
}

extension ISOImageItems {
    /// The gain map of a HEIF or AVIF file, whose header is `header`, as stored beside its primary image; nil if it has none.
    static func gainMap(
        in source: Source, of header: ImageHeader, options: DecodingOptions, codec: any ImageCodec
    ) throws(ImageError) -> GainMap? {
        // The first of several images needn't be the primary one.
        guard options.imageIndex == nil || header.sequence == nil else { return nil }
        guard let reader = try ISOItemReader(source, limits: options.limits),
            let map = try ISOGainMap.find(reader, baseEXIF: header.metadata.exif, limits: options.limits)
        else { return nil }
        return try map.map(
            in: reader, of: codec, besideBase: header.metadata.orientation, limits: options.limits)
    }
}

extension ISOItemCoding {
    func mayHaveGainMap(_ header: ImageHeader) -> Bool { header.sequence?.kind != .animation }

    func gainMap(
        in source: Source, of header: ImageHeader, options: DecodingOptions
    ) throws(ImageError) -> GainMap? {
        try ISOImageItems.gainMap(in: source, of: header, options: options, codec: self)
    }
}
