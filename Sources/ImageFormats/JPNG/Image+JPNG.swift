package import JPNGContainer
public import Raster

extension Image {
    /// Creates an image from JPNG data, whether or not JPNG is loaded automatically.
    ///
    /// Reads only the headers until pixels are needed.
    /// - Parameters:
    ///   - data: The whole file.
    ///   - scale: Pixels per point; 0 for the display's scale.
    ///   - orientation: The orientation to apply after that in the file's metadata, which is always applied.
    ///   - forcesDecompression: Whether to decode now; nil for `JPNG.alwaysForcesDecompression`.
    ///   - options: The decoding options.
    /// - Throws: `unknownFormat` if the data isn't a JPNG; `corrupt` or `unsupported` for a damaged footer; decoding
    ///   errors if decompression is forced.
    public init(
        jpngData data: some Sequence<UInt8>, scale: Double = 1, orientation: Orientation = .up,
        forcesDecompression: Bool? = nil,
        options: DecodingOptions = DecodingOptions()
    ) throws(ImageError) {
        let data = Array(data)
        do throws(JPNGError) {
            _ = try JPNGContainer(verifying: data.span.bytes)
        } catch {
            throw ImageError(error)
        }
        let encoded = try EncodedImage(data, options: options, registry: JPNG.registry)
        self.init(deferred: encoded, scale: scale, orientation: orientation)
        if forcesDecompression ?? JPNG.alwaysForcesDecompression { _ = try bitmap() }
    }

    /// Encodes the image as a JPNG, with its orientation applied.
    /// - Parameters:
    ///   - quality: The quality of the colour part, above 0 to 1; times 100 it is libjpeg's. Apple's 0.8 is about 0.94
    ///     here.
    ///   - version: 1 for a lossless mask (PNG), 2 for a lossy one (JPEG).
    /// - Throws: `invalidParameter` for an invalid quality or version; decoding and encoding errors.
    public func jpngData(quality: Double = 0.8, version: Int = 1) throws(ImageError) -> [UInt8] {
        try bitmap().jpngData(quality: quality, version: version)
    }
}

extension Bitmap {
    /// Encodes the pixels as a JPNG. An opaque bitmap gets an opaque mask.
    /// - Parameters:
    ///   - quality: The quality of the colour part, above 0 to 1; times 100 it is libjpeg's. Apple's 0.8 is about 0.94
    ///     here.
    ///   - version: 1 for a lossless mask (PNG), 2 for a lossy one (JPEG).
    /// - Throws: `invalidParameter` for an invalid quality or version; encoding errors.
    public func jpngData(quality: Double = 0.8, version: Int = 1) throws(ImageError) -> [UInt8] {
        let options = EncodingOptions(quality: quality, jpng: EncodingOptions.JPNG(version: version))
        return try ImageDestination(format: .jpng, options: options, registry: JPNG.registry).encode(self)
    }
}

extension ImageError {
    /// Converts an error in a JPNG's layout to the error that public functions throw.
    package init(_ error: JPNGError) {
        let code: Code =
            switch error.code {
            case .unsupportedVersion: .unsupported
            case .truncated: .truncated
            case .partTooLarge: .limitExceeded
            case .unknownIdentifier: .unknownFormat
            default: .corrupt
            }
        self.init(code, error.message, byteOffset: error.offset.map { Int(clamping: $0) })
    }

    /// The same error in a part that begins at `offset` in the file.
    func inPart(_ name: String, at offset: Int) -> ImageError {
        ImageError(code, "in the \(name): \(message)", byteOffset: byteOffset.map { $0 + offset })
    }
}
