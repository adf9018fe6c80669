public import Essentials
public import ImageFormats
public import Raster

// Files by their URLs. The forms with paths are in ImageFormats, which knows no Foundation.

extension Image {
    /// The image in the file at `url`, whatever its format. Reads the header; pixels are decoded when they are asked for.
    ///
    /// As `init(path:options:registry:)`. `ImagePipeline` loads from servers.
    ///
    /// ```swift
    /// let image = try Image(contentsOf: URL(filePath: "photo.heic"))
    /// ```
    /// - Throws: `invalidParameter` for a URL that isn't a file's, otherwise as with a path.
    public init(
        contentsOf url: URL, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        try self.init(path: url.filePath(remedy: Self.remedy), options: options, registry: registry)
    }

    /// Writes the image to the file at `url`, upright. The file appears whole or not at all.
    ///
    /// As `write(to:as:quality:keeping:overwriting:)` with a path.
    /// - Throws: `invalidParameter` for a URL that isn't a file's, otherwise as with a path.
    public func write(
        to url: URL, as format: ImageFormat? = nil, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none,
        overwriting: Bool = true
    ) throws(ImageError) {
        try write(
            to: url.filePath(remedy: Self.writingRemedy), as: format, quality: quality, keeping: metadata,
            overwriting: overwriting)
    }

    /// Writes the image to the file at `url` as `options` say. As the form with a path.
    /// - Throws: `invalidParameter` for a URL that isn't a file's, otherwise as with a path.
    public func write(
        to url: URL, as format: ImageFormat? = nil, options: EncodingOptions,
        keeping metadata: MetadataPolicy = .none, overwriting: Bool = true
    ) throws(ImageError) {
        try write(
            to: url.filePath(remedy: Self.writingRemedy), as: format, options: options, keeping: metadata,
            overwriting: overwriting)
    }

    /// As the synchronous form, on a thread of `ImageExecutor`; ends early when the task is cancelled.
    public func write(
        to url: URL, as format: ImageFormat? = nil, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none,
        overwriting: Bool = true
    ) async throws(ImageError) {
        try await write(
            to: url.filePath(remedy: Self.writingRemedy), as: format, quality: quality, keeping: metadata,
            overwriting: overwriting)
    }

    /// As the synchronous form, on a thread of `ImageExecutor`; ends early when the task is cancelled.
    public func write(
        to url: URL, as format: ImageFormat? = nil, options: EncodingOptions,
        keeping metadata: MetadataPolicy = .none, overwriting: Bool = true
    ) async throws(ImageError) {
        try await write(
            to: url.filePath(remedy: Self.writingRemedy), as: format, options: options, keeping: metadata,
            overwriting: overwriting)
    }

    /// The image's file in `format` as Foundation's `Data`, where the context asks for that.
    /// - Throws: As the form that makes an array.
    @_disfavoredOverload
    public func data(
        as format: ImageFormat, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none
    ) throws(ImageError) -> Data {
        let bytes: [UInt8] = try data(as: format, quality: quality, keeping: metadata)
        return Data(bytes)
    }

    /// As the synchronous form, on a thread of `ImageExecutor`; ends early when the task is cancelled.
    @_disfavoredOverload
    public func data(
        as format: ImageFormat, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none
    ) async throws(ImageError) -> Data {
        let bytes: [UInt8] = try await data(as: format, quality: quality, keeping: metadata)
        return Data(bytes)
    }

    private static let remedy = "load it with ImagePipeline.shared.image(for:)"
    private static let writingRemedy = "write to a file, or send data(as:)"
}

extension AnimatedImage {
    /// The animation in the file at `url`. As `init(path:options:registry:)`.
    /// - Throws: `invalidParameter` for a URL that isn't a file's, otherwise as with a path.
    public init(
        contentsOf url: URL, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        try self.init(
            path: url.filePath(remedy: "load its bytes with ImagePipeline.shared.data(for:)"), options: options,
            registry: registry)
    }
}
