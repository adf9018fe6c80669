#if TIFF
public import Raster

/// Reads the largest JPEG preview in a camera's raw file that is built on TIFF: DNG, CR2, NEF, ARW.
///
/// Such a preview is what the camera shows: often at full size, sometimes 160 pixels wide. The header's format says that it is
/// one. Raw data isn't developed; a file without a JPEG preview is refused as `unsupported`. With
/// ``DecodingOptions/imageIndex``, the file is read as TIFF.
public struct CameraRawCodec: ImageCodec {
    /// A codec without settings.
    public init() {}

    /// The format `.cameraRaw`.
    public var format: ImageFormat { .cameraRaw }
    /// Decodes, at reduced sizes too.
    public var capabilities: ImageCapabilities { [.decode, .scaledDecoding] }

    /// Matches a TIFF whose first directory, as far as it is known, is a raw file's.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        guard case .match = probe.match(.tiff) else { return .unknown }
        // The pointer doesn't leave the closure.
        let bytes = probe.prefix.withUnsafeBytes { Array($0) }
        return TIFFStructure(TIFFBytes(bytes)).map(CameraRawPreview.isRaw) ?? false ? .match(.cameraRaw) : .unknown
    }

    /// Makes a session that starts once all bytes have arrived, since previews may be anywhere.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        WholeInputDecoder(.cameraRaw, limits: options.limits) { (bytes) throws(ImageError) in
            try Self.picture(TIFFBytes(bytes), options: options)
        }
    }

    private static func picture(_ bytes: TIFFBytes, options: DecodingOptions) throws(ImageError) -> any WholePicture {
        guard options.imageIndex == nil, let structure = TIFFStructure(bytes),
            let preview = CameraRawPreview(structure)
        else { return try TIFFPicture(bytes, options: options) }
        try options.limits.checkHeld(preview.range.count, format: .cameraRaw)
        // The raw file's own metadata, which the preview may lack.
        let metadata = structure.directory(at: structure.firstDirectory)
            .map { structure.metadata(of: $0, limits: options.limits) }
        return try NestedJPEG(
            structure.bytes.bytes(in: preview.range), in: .cameraRaw, name: "the raw file's preview",
            metadata: metadata ?? ImageMetadata(), byteOffset: preview.range.lowerBound, options: options)
    }

    /// The cost of decoding a JPEG, and its bytes.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        var cost = JPEGCodec().decodingCost(of: header)
        cost.byteCount += header.storedSize.pixelCount / 2
        return cost
    }
}

extension CameraRawCodec: InPlaceDecoding {
    func makePicture(in source: Source, options: DecodingOptions) throws(ImageError) -> (any WholePicture)? {
        guard source.allowsRandomAccess(options.limits), let bytes = TIFFBytes(source) else { return nil }
        return try Self.picture(bytes, options: options)
    }
}
#endif
