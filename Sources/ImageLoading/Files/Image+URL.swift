public import Essentials
public import ImageFormats
public import Raster

// Files by URL. The forms with paths are in ImageFormats, which doesn't import Foundation.

extension Image {
    /// Opens the image in the file at `url`. Reads the header; pixels are decoded when they are requested.
    ///
    /// Same as `init(path:options:registry:)`. To load from servers, use `ImagePipeline`.
    ///
    /// ```swift
    /// let image = try Image(contentsOf: URL(filePath: "photo.heic"))
    /// ```
    /// - Throws: `invalidParameter` if `url` isn't a file URL; otherwise as with a path.
    public init(
        contentsOf url: URL, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        try self.init(path: url.filePath(remedy: Self.remedy), options: options, registry: registry)
    }

    /// Writes the image to the file at `url`, upright. The file appears whole or not at all.
    ///
    /// Same as `write(to:as:quality:keeping:overwriting:)` with a path.
    /// - Throws: `invalidParameter` if `url` isn't a file URL; otherwise as with a path.
    public func write(
        to url: URL, as format: ImageFormat? = nil, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none,
        overwriting: Bool = true
    ) throws(ImageError) {
        try write(
            to: url.filePath(remedy: Self.writingRemedy), as: format, quality: quality, keeping: metadata,
            overwriting: overwriting)
    }

    /// Writes the image to the file at `url` with `options`. Same as the form with a path.
    /// - Throws: `invalidParameter` if `url` isn't a file URL; otherwise as with a path.
    public func write(
        to url: URL, as format: ImageFormat? = nil, options: EncodingOptions,
        keeping metadata: MetadataPolicy = .none, overwriting: Bool = true
    ) throws(ImageError) {
        try write(
            to: url.filePath(remedy: Self.writingRemedy), as: format, options: options, keeping: metadata,
            overwriting: overwriting)
    }

    /// The asynchronous form: writes on a thread of `ImageExecutor`, and ends early when the task is cancelled.
    public func write(
        to url: URL, as format: ImageFormat? = nil, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none,
        overwriting: Bool = true
    ) async throws(ImageError) {
        try await write(
            to: url.filePath(remedy: Self.writingRemedy), as: format, quality: quality, keeping: metadata,
            overwriting: overwriting)
    }

    /// The asynchronous form: writes on a thread of `ImageExecutor`, and ends early when the task is cancelled.
    public func write(
        to url: URL, as format: ImageFormat? = nil, options: EncodingOptions,
        keeping metadata: MetadataPolicy = .none, overwriting: Bool = true
    ) async throws(ImageError) {
        try await write(
            to: url.filePath(remedy: Self.writingRemedy), as: format, options: options, keeping: metadata,
            overwriting: overwriting)
    }

    /// Encodes the image in `format` as Foundation's `Data`, where the context requires that type.
    /// - Throws: The same errors as the form that returns an array.
    @_disfavoredOverload
    public func data(
        as format: ImageFormat, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none
    ) throws(ImageError) -> Data {
        let bytes: [UInt8] = try data(as: format, quality: quality, keeping: metadata)
        return Data(bytes)
    }

    /// The asynchronous form: encodes on a thread of `ImageExecutor`, and ends early when the task is cancelled.
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
    /// Opens the animation in the file at `url`. Same as `init(path:options:registry:)`.
    /// - Throws: `invalidParameter` if `url` isn't a file URL; otherwise as with a path.
    public init(
        contentsOf url: URL, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        try self.init(
            path: url.filePath(remedy: "load its bytes with ImagePipeline.shared.data(for:)"), options: options,
            registry: registry)
    }
}
