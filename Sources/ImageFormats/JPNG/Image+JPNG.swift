internal import JPNGContainer
public import Raster

extension Image {
    /// A picture from the bytes of a JPNG, whether or not JPNG is loaded automatically.
    ///
    /// Nothing but the headers is read until pixels are asked for.
    /// - Parameters:
    ///   - data: The whole file.
    ///   - scale: Pixels per point; 0 for the display's.
    ///   - orientation: How the picture is to be turned beyond what its own metadata say, which is done already.
    ///   - forcesDecompression: Whether to decode now; nil for `JPNG.alwaysForcesDecompression`.
    ///   - options: How to decode.
    /// - Throws: `unknownFormat` where the data isn't a JPNG; `corrupt` or `unsupported` for a damaged one; what decoding
    ///   reports, if that is forced.
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

    /// The picture as a JPNG, turned as it is shown.
    /// - Parameters:
    ///   - quality: Of the colours, above 0 to 1; times 100 it is libjpeg's. Apple's 0.8 is about 0.94 here.
    ///   - version: 1, where transparency is exact, or 2, where it is a JPEG too.
    /// - Throws: `invalidParameter` for a quality or a version that there isn't; what decoding and encoding report.
    public func jpngData(quality: Double = 0.8, version: Int = 1) throws(ImageError) -> [UInt8] {
        try bitmap().jpngData(quality: quality, version: version)
    }
}

extension Bitmap {
    /// The pixels as a JPNG. Opaque ones get an opaque mask.
    /// - Parameters:
    ///   - quality: Of the colours, above 0 to 1; times 100 it is libjpeg's. Apple's 0.8 is about 0.94 here.
    ///   - version: 1, where transparency is exact, or 2, where it is a JPEG too.
    /// - Throws: `invalidParameter` for a quality or a version that there isn't; what encoding reports.
    public func jpngData(quality: Double = 0.8, version: Int = 1) throws(ImageError) -> [UInt8] {
        let options = EncodingOptions(quality: quality, jpng: EncodingOptions.JPNG(version: version))
        return try ImageDestination(format: .jpng, options: options, registry: JPNG.registry).encode(self)
    }
}

extension ImageError {
    /// What is wrong with a JPNG's layout, as every public entry reports it.
    init(_ error: JPNGError) {
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

    /// The same error of a part that begins at `offset` in the file.
    func inPart(_ name: String, at offset: Int) -> ImageError {
        ImageError(code, "in the \(name): \(message)", byteOffset: byteOffset.map { $0 + offset })
    }
}
