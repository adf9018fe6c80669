#if JPEGXL
internal import Raster

/// The box `jhgm` of a JPEG XL file (ISO/IEC 18181-2): a gain map as a codestream, ISO 21496-1's metadata, and
/// the colour space of the alternate rendition. It may be in a box `brob`, compressed by Brotli.
///
/// libjxl 0.7 doesn't know the box, and skips it.
struct JPEGXLGainMap {
    static let boxType: FourCharacterCode = "jhgm"

    private let metadata: GainMapMetadata
    private let alternateProfile: ColorProfile?
    /// Whether the alternate rendition's colour space is given by a compressed ICC profile only, which isn't read.
    private let hasUnreadProfile: Bool
    private let codestream: [UInt8]

    /// The quality of the written map: its errors are multiplied by the gain.
    private static let quality = 0.95

    /// Reads the contents of a box.
    /// - Throws: `unsupported` for another version than 0; `truncated`; `corrupt` without a codestream; errors of the
    ///   metadata. Offsets count from the contents' first byte.
    init(_ contents: [UInt8]) throws(ImageError) {
        var position = 0
        func integer(_ byteCount: Int) throws(ImageError) -> Int {
            guard let value = contents.bigEndian(at: position, byteCount: byteCount) else {
                throw Self.truncated(contents)
            }
            position += byteCount
            return value
        }
        func block(_ byteCount: Int) throws(ImageError) -> ArraySlice<UInt8> {
            guard byteCount <= contents.count - position else { throw Self.truncated(contents) }
            position += byteCount
            return contents[(position - byteCount)..<position]
        }
        let version = try integer(1)
        guard version == 0 else {
            throw ImageError(.unsupported, "the box has version \(version), expected 0", byteOffset: 0)
        }
        let block21496 = try block(try integer(2))
        do throws(ImageError) {
            metadata = try GainMapMetadata(iso21496: Array(block21496))
        } catch {
            throw error.inPart("metadata", at: block21496.startIndex)
        }
        let color = try block(try integer(1))
        alternateProfile = color.isEmpty ? nil : JPEGXLColorEncoding.profile(Array(color))
        let profile = try block(try integer(4))
        hasUnreadProfile = !profile.isEmpty && alternateProfile == nil
        // A container would be a file with its own boxes.
        guard contents[position...].starts(with: JPEGXLContainer.codestreamSignature) else {
            throw ImageError(.corrupt, "no JPEG XL codestream begins at byte \(position)", byteOffset: position)
        }
        codestream = Array(contents[position...])
    }

    private static func truncated(_ contents: [UInt8]) -> ImageError {
        ImageError(.truncated, "the box ends after \(contents.count) bytes", byteOffset: contents.count)
    }

    /// Compresses `map` for a base stored in `orientation`.
    /// - Throws: `unsupported` for a colour space of the alternate rendition that can't be written; errors of libjxl.
    init(compressing map: GainMap, besideBase orientation: Orientation) throws(ImageError) {
        metadata = map.metadata
        alternateProfile = map.alternateProfile
        hasUnreadProfile = false
        var options = EncodingOptions(quality: Self.quality)
        options.metadata.orientation = orientation
        // The values aren't colours.
        let bitmap = try map.image.bitmap()
        let buffer = ByteBuffer()
        try ImageDestination(format: .jpegXL, options: options, registry: CodecRegistry([JPEGXLCodec()]))
            .encode(bitmap.withMeaning(alpha: bitmap.alpha, profile: .sRGB), to: buffer)
        codestream = buffer.bytes
    }

    /// The contents of the box.
    /// - Throws: `unsupported` for a colour space of the alternate rendition that can't be written.
    func contents() throws(ImageError) -> [UInt8] {
        var color: [UInt8] = []
        if let alternateProfile {
            if let bytes = JPEGXLColorEncoding.bytes(alternateProfile) {
                color = bytes
            } else if !metadata.usesBaseColorSpace {
                throw ImageError(
                    .unsupported,
                    "JPEG XL can't hold the gain map, whose colour space isn't sRGB, Display P3 or BT.2020: "
                        + "leave the map out")
            }
        }
        let block = metadata.iso21496
        return [0] + block.count.bigEndianBytes(2) + block + [UInt8(color.count)] + color + [0, 0, 0, 0] + codestream
    }

    /// The map beside a base stored in `orientation`, whose pixels are decoded on demand.
    /// - Throws: `unsupported` if gains of colours apply in a colour space that isn't read; errors of the codestream's header.
    func map(besideBase orientation: Orientation, limits: DecodingLimits) throws(ImageError) -> GainMap {
        let image = try Image.gainMap(in: codestream, of: JPEGXLCodec(), limits: limits)
        guard metadata.usesBaseColorSpace || !hasUnreadProfile || image.info.format.isGray else {
            throw ImageError(.unsupported, "gains apply in the colour space of a compressed ICC profile")
        }
        return GainMap(image, metadata, alternateProfile: alternateProfile).oriented(by: orientation.inverse)
    }
}

extension JPEGXLCodec: GainMapCoding {
    func mayHaveGainMap(_ header: ImageHeader) -> Bool { header.sequence == nil }

    func gainMap(
        in source: Source, of header: ImageHeader, options: DecodingOptions
    ) throws(ImageError) -> GainMap? {
        guard let place = try JPEGXLContainer.place(of: JPEGXLGainMap.boxType, in: source) else { return nil }
        let contents = try JPEGXLContainer.contents(at: place, in: source, limits: options.limits)
        do throws(ImageError) {
            return try JPEGXLGainMap(contents).map(besideBase: header.metadata.orientation, limits: options.limits)
        } catch {
            // An offset in decompressed bytes is none in the file: the box's has to do.
            let offset = place.isCompressed ? error.byteOffset.map { _ in 0 } : error.byteOffset
            throw ImageError(error.code, error.message, byteOffset: offset).inPart(
                "gain map", at: place.range.lowerBound)
        }
    }

    func encode(
        _ map: GainMap, options: EncodingOptions, output: any ByteSink,
        base: (EncodingOptions, any ByteSink) throws(ImageError) -> Void
    ) throws(ImageError) {
        let contents = try JPEGXLGainMap(compressing: map, besideBase: options.metadata.orientation).contents()
        var options = options
        // A container has three further boxes.
        if let maximum = options.maximumByteCount { options.maximumByteCount = max(1, maximum - contents.count - 64) }
        let buffer = ByteBuffer()
        try base(options, buffer)
        let file = JPEGXLContainer.file(buffer.bytes, appending: JPEGXLGainMap.boxType, contents)
        try output.write(file.span.bytes)
    }
}
#endif
