public import Raster

extension ImageSource {
    /// Returns the gain map of the image in `source`, whose header is `header`; nil if it has none.
    ///
    /// Reads the map's header; its pixels are decoded on demand. The map is upright if the options say so, like the
    /// image. JPEG files can have one by ISO 21496-1, Ultra HDR's XMP, or Apple's auxiliary image, HEIF and AVIF files by
    /// a tone-mapped item (`tmap`) or Apple's auxiliary image, and JPEG XL files by the box `jhgm`. A codec that runs in
    /// another process reads none, and there is none for a base in high dynamic range that the options convert to sRGB.
    /// - Throws: `truncated`, `corrupt`, `unsupported` or `limitExceeded` for a map that can't be used, with the byte's
    ///   offset in the file. The image itself can still be decoded. `invalidParameter` for a stream.
    public static func gainMap(
        in source: Source, header: ImageHeader, options: DecodingOptions = DecodingOptions(),
        registry: CodecRegistry = .default
    ) throws(ImageError) -> GainMap? {
        guard options.imageIndex ?? 0 == 0, let codec = registry.codec(for: header.format) as? any GainMapReading,
            codec.mayHaveGainMap(header),
            options.color == .asStored || options.dynamicRange == .asStored || !header.profile.isHighDynamicRange
        else { return nil }
        guard !source.isStream else {
            throw ImageError(.invalidParameter, "a gain map needs a seekable file; \(source.name) is a stream")
        }
        guard var map = try codec.gainMap(in: source, of: header, options: options) else { return nil }
        if options.color == .sRGB, header.profile != .sRGB, !header.profile.isHighDynamicRange,
            map.metadata.usesBaseColorSpace, !map.metadata.isUniform
        {
            // The base's colours become sRGB, but each channel's gain stays one of the file's primaries.
            map.metadata.usesBaseColorSpace = false
            map.alternateProfile = header.profile
        }
        return map.oriented(by: options.appliedOrientation(of: header))
    }

    /// Returns `source`, or its bytes in memory if it is a stream of a file that may have a gain map: the map follows the
    /// image, and a stream can be read only once.
    package static func seekableForGainMap(
        _ source: Source, options: DecodingOptions, registry: CodecRegistry
    ) throws(ImageError) -> Source {
        guard source.isStream else { return source }
        var format: ImageFormat?
        // Other formats may need all bytes for their header.
        _ = try source.headerReader().nextBytes { (bytes) in
            if case .match(let found, _) = registry.identify(FormatProbe(streamPrefix: bytes)) { format = found }
        }
        guard let format, let codec = registry.codec(for: format) as? any GainMapReading else { return source }
        if format == .jpeg {
            guard let header = try? header(of: source, options: options, registry: registry),
                codec.mayHaveGainMap(header)
            else { return source }
        }
        return Source(try source.bytes(limit: options.limits.maximumInputByteCount), name: source.name)
    }
}

extension EncodedImage: GainMapProvider {
    /// The file's gain map; nil if there is none that can be used.
    package var gainMap: GainMap? { gainMap(options) }

    /// The file's gain map if its base is in high dynamic range, beside the pixels as stored.
    var gainMapOfHighBase: GainMap? {
        guard header.profile.isHighDynamicRange else { return nil }
        var options = options
        options.color = .asStored
        return gainMap(options)
    }

    private func gainMap(_ options: DecodingOptions) -> GainMap? {
        guard let codec = registry.codec(for: header.format) as? any GainMapReading, codec.mayHaveGainMap(header) else {
            return nil
        }
        return try? reading { (source) throws(ImageError) in
            try ImageSource.gainMap(in: source, header: header, options: options, registry: registry)
        }
    }
}

extension ImageDestination {
    /// Whether files in the format can have a gain map.
    public var canWriteGainMap: Bool { Self.canWriteGainMap(codec) }

    /// Whether files that `codec` writes can have a gain map.
    package static func canWriteGainMap(_ codec: any ImageCodec) -> Bool { codec is any GainMapCoding }

    /// Encodes the rows that `source` delivers to `output`, with `map` if the format can have a gain map.
    ///
    /// A reader without knowledge of gain maps decodes the same pixels as without the map. The encoded base is in memory
    /// until it is complete, since its head has its length.
    /// - Throws: Errors of `source`, the map, the codec or `output`.
    public func encode(_ source: any RowSource, gainMap map: GainMap?, to output: any ByteSink) throws(ImageError) {
        guard let map, let codec = codec as? any GainMapCoding else { return try encode(source, to: output) }
        try codec.encode(map, options: options, output: output) { (options, output) throws(ImageError) in
            try with(options).encode(source, to: output)
        }
    }
}

extension Image {
    /// The main image of `file`, which is a gain map: upright, with stored values, decoded by `codec` on demand.
    static func gainMap(
        in file: [UInt8], of codec: any ImageCodec, limits: DecodingLimits
    ) throws(ImageError) -> Image {
        let options = DecodingOptions(color: .asStored, limits: limits)
        return Image(deferred: try EncodedImage(file, options: options, registry: CodecRegistry([codec])))
            .withGainMap(nil)
    }
}
