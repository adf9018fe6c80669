internal import Raster

/// The gain map of a HEIF or AVIF file: an image item, and its meaning for the primary image.
///
/// It belongs to a tone-mapped item (`tmap`, ISO/IEC 23008-12:2024/Amd 1), which is an alternative of the primary image,
/// is derived from that and the map, and contains ISO 21496-1's metadata. Or it is Apple's auxiliary image.
///
/// libheif 1.15 and libavif 0.11 support neither, so they decode the map from a copy of the file whose primary item it is.
struct ISOGainMap {
    private enum Meaning {
        case toneMapped(GainMapMetadata, alternate: ColorProfile?)
        case apple(AppleGainMap)
    }

    private let item: Int
    private let meaning: Meaning

    /// Coded images, and images composed of them.
    private static let imageTypes: Set<FourCharacterCode> = ["hvc1", "av01", "grid"]
    /// ISO's metadata for three channels has 141 bytes; later versions may append fields.
    private static let maximumMetadataByteCount = 4096

    /// Finds the map; nil if the file has none.
    /// - Throws: `corrupt` for a tone-mapped item that isn't derived from two images; errors of the metadata.
    static func find(
        _ items: ISOImageItems, in file: [UInt8], baseEXIF: [UInt8]?
    ) throws(ImageError) -> ISOGainMap? {
        guard let primary = items.primary else { return nil }
        for candidate in items.items(of: "tmap") where items.areAlternatives(candidate, primary) {
            let parts = items.parts(of: candidate)
            guard parts.first == primary else { continue }
            guard parts.count == 2, parts[1] != primary, let type = items.type(of: parts[1]) else {
                throw ImageError(
                    .corrupt, "invalid gain map: item \(candidate) is derived from items \(parts), expected two images")
            }
            guard Self.imageTypes.contains(type) else {
                throw ImageError(.unsupported, "the gain map is an item of type '\(type)'")
            }
            let metadata = try Self.metadata(of: candidate, items, file)
            return ISOGainMap(
                item: parts[1], meaning: .toneMapped(metadata, alternate: items.profile(of: candidate, in: file)))
        }
        for candidate in items.auxiliaries(of: primary) {
            guard items.type(of: candidate).map({ Self.imageTypes.contains($0) }) ?? false,
                items.properties(of: candidate).contains(where: { $0.isAppleGainMap(in: file) }),
                let map = AppleGainMap(auxiliary: items.xmp(of: candidate, in: file), baseEXIF: baseEXIF)
            else { continue }
            return ISOGainMap(item: candidate, meaning: .apple(map))
        }
        return nil
    }

    private static func metadata(
        of item: Int, _ items: ISOImageItems, _ file: [UInt8]
    ) throws(ImageError) -> GainMapMetadata {
        guard let data = items.data(of: item, in: file), let version = data.first else {
            throw ImageError(.truncated, "the metadata of the gain map is missing")
        }
        guard version == 0 else {
            throw ImageError(
                .unsupported, "the gain map has a tone-mapped item of version \(version), expected 0",
                byteOffset: data.startIndex)
        }
        do throws(ImageError) {
            return try GainMapMetadata(iso21496: Array(data.dropFirst().prefix(maximumMetadataByteCount)))
        } catch {
            throw error.inPart("gain map", at: data.startIndex + 1)
        }
    }

    /// The map as stored beside a base stored in `orientation`, decoded by `codec` on demand. A derived image combines
    /// upright images, so the map's own orientation needn't be the base's.
    /// - Throws: `unsupported` if the file's primary item can't be changed; errors of the map's header.
    func map(
        in file: [UInt8], of codec: any ImageCodec, besideBase orientation: Orientation, limits: DecodingLimits
    ) throws(ImageError) -> GainMap {
        guard let copy = Self.file(file, showing: item) else {
            throw ImageError(.unsupported, "the gain map's item \(item) can't be made the primary one")
        }
        let image = try Image.gainMap(in: copy, of: codec, limits: limits)
        let map =
            switch meaning {
            case .toneMapped(let metadata, let alternate): GainMap(image, metadata, alternateProfile: alternate)
            case .apple(let map): try map.converted(image)
            }
        return map.oriented(by: orientation.inverse)
    }

    /// `file` with `item` as its primary image, neither hidden nor an auxiliary one; nil if that takes more bytes.
    private static func file(_ file: [UInt8], showing item: Int) -> [UInt8]? {
        guard let meta = ISOBoxReader(file, 0..<file.count).first("meta") else { return nil }
        var copy = file
        var reader = ISOBoxReader(file, meta.contents)
        guard reader.versionAndFlags() != nil else { return nil }
        while let box = reader.box() {
            var contents = reader.contents(of: box)
            guard let (version, _) = ["pitm", "iinf", "iref"].contains(box.type) ? contents.versionAndFlags() : nil
            else { continue }
            switch box.type {
            case "pitm":
                let byteCount = version == 0 ? 2 : 4
                guard contents.end - contents.offset >= byteCount, item >> (8 * byteCount) == 0 else { return nil }
                copy.replaceSubrange(
                    contents.offset..<(contents.offset + byteCount), with: item.bigEndianBytes(byteCount))
            case "iinf":
                _ = contents.number(version == 0 ? 2 : 4)
                while let entry = contents.box() {
                    var fields = contents.contents(of: entry)
                    guard entry.type == "infe", let (version, _) = fields.versionAndFlags(), version >= 2,
                        fields.number(version == 2 ? 2 : 4) == item
                    else { continue }
                    // The last bit of the flags hides an item.
                    copy[entry.contents.lowerBound + 3] &= 0xFE
                }
            default:
                while let entry = contents.box() {
                    var fields = contents.contents(of: entry)
                    guard entry.type == "auxl", fields.number(version == 0 ? 2 : 4) == item else { continue }
                    // A reference of another type is ignored. The type is right before the contents.
                    copy.replaceSubrange(
                        (entry.contents.lowerBound - 4)..<entry.contents.lowerBound, with: Array("free".utf8))
                }
            }
        }
        return copy
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
        let file = try source.bytes(limit: options.limits.maximumInputByteCount)
        guard let items = ISOImageItems(file),
            let map = try ISOGainMap.find(items, in: file, baseEXIF: header.metadata.exif)
        else { return nil }
        return try map.map(
            in: file, of: codec, besideBase: header.metadata.orientation, limits: options.limits)
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
