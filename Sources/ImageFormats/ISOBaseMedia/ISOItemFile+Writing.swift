internal import Raster

extension ISOItemFile {
    /// The quality of a written gain map: its errors are multiplied by the gain.
    private static let mapQuality = 0.95

    /// Writes the file that `base` encodes with `map`, both coded by `codec`, which libheif 1.15 and libavif 0.11 can't
    /// put together.
    static func write(
        _ map: GainMap, by codec: any ImageCodec, options: EncodingOptions, output: any ByteSink,
        base: (EncodingOptions, any ByteSink) throws(ImageError) -> Void
    ) throws(ImageError) {
        var mapOptions = EncodingOptions(quality: mapQuality)
        // A derived image combines upright images.
        mapOptions.metadata.orientation = options.metadata.orientation
        mapOptions.avif = options.avif
        let bitmap = try map.image.bitmap()
        let mapFile = try ImageDestination(format: codec.format, options: mapOptions, registry: CodecRegistry([codec]))
            .encode(bitmap.withMeaning(alpha: bitmap.alpha, profile: .sRGB))

        var options = options
        // The boxes for three further items take less than 1 KiB, but for a profile.
        if let maximum = options.maximumByteCount { options.maximumByteCount = max(1, maximum - mapFile.count - 1024) }
        let buffer = ByteBuffer()
        try base(options, buffer)
        guard let parts = ISOItemFile(mapFile), var file = ISOItemFile(buffer.bytes),
            let size = ISOImageItems(buffer.bytes)?.uprightSize(in: buffer.bytes)
        else {
            throw ImageError(.unsupported, "the \(codec.format) file has a structure to which no gain map can be added")
        }
        let color = map.alternateProfile?.colorBox ?? file.primaryColors ?? ColorProfile.sRGB.colorBox
        file.addGainMap(parts, map.metadata, color: color, size: size)
        try output.write(file.bytes.span.bytes)
    }

    /// `file` with the brightest light of its content in candela per square metre (`clli`; ISO/IEC 23008-12, 6.5.31), which
    /// libheif 1.15 and libavif 0.11 can't write; `file` itself if that isn't known.
    static func file(_ file: [UInt8], peakOf profile: ColorProfile) -> [UInt8] {
        guard let space = HighDynamicRangeSpace(profile), space.transfer == .pq, let peak = space.peak,
            var parts = ISOItemFile(file)
        else { return file }
        // The average light isn't known.
        parts.addProperty(ISOBoxWriter.box("clli", Int(peak.rounded(.up)).bigEndianBytes(2) + [0, 0]))
        return parts.bytes
    }
}

extension ColorProfile {
    /// The `colr` box of the profile (ISO/IEC 23008-12, 6.5.5): code points if it has any, or else the profile itself.
    fileprivate var colorBox: [UInt8] {
        var codes: (primaries: UInt16, transfer: UInt16) = (1, 13)
        if let known = HighDynamicRangeSpace(self)?.nclx(isGray: false) {
            codes = known
        } else if case .icc(let profile) = self {
            return ISOBoxWriter.box("colr", Array("prof".utf8) + profile)
        }
        // The matrix and the range have no meaning for a derived image; these are those of RGB.
        return ISOBoxWriter.box(
            "colr",
            Array("nclx".utf8) + Int(codes.primaries).bigEndianBytes(2) + Int(codes.transfer).bigEndianBytes(2)
                + [0, 0, 0x80])
    }
}

/// A codec of files whose images are items (ISO/IEC 23008-12), which gain maps are read from and put into here.
protocol ISOItemCoding: ImageCodec, GainMapCoding {}

extension ISOItemCoding {
    func encode(
        _ map: GainMap, options: EncodingOptions, output: any ByteSink,
        base: (EncodingOptions, any ByteSink) throws(ImageError) -> Void
    ) throws(ImageError) {
        try ISOItemFile.write(map, by: self, options: options, output: output, base: base)
    }
}

#if HEIF
extension HEIFCodec: ISOItemCoding {}
#endif

#if AVIF
extension AVIFCodec: ISOItemCoding {}
#endif
