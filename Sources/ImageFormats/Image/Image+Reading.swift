public import Raster

extension Image {
    /// Opens the image in the file at `path`, in any supported format.
    ///
    /// Reads only the header. Pixels are decoded on first use, upright and in sRGB unless the options differ. A regular
    /// file is closed between reads and must not change.
    ///
    /// ```swift
    /// let image = try Image(path: "photo.heic")
    /// print(image.size, image.format)
    /// ```
    /// - Throws: `inputOutput` if the file can't be read, `unknownFormat` if it isn't an image, and other errors for an
    ///   invalid header. Messages include the path.
    public init(
        path: String, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        self.init(opened: try EncodedImage(path: path, options: options, registry: registry))
        if forcesDecompression { _ = try bitmap() }
    }

    /// Opens the image in `data`, in any supported format: a byte array, Foundation's `Data`, or a SwiftNIO buffer's
    /// `readableBytesView`.
    ///
    /// Reads only the header; pixels are decoded on first use. An array isn't copied.
    /// - Throws: `unknownFormat` if the bytes aren't an image, and other errors for an invalid header.
    public init(
        data: some Sequence<UInt8>, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        self.init(opened: try EncodedImage(Array(data), options: options, registry: registry))
        if forcesDecompression { _ = try bitmap() }
    }

    /// Opens the image in `source`, in any supported format: a file that stays open, or the bytes of a pipe.
    ///
    /// Reads the header, or all bytes of a stream; pixels are decoded on first use.
    /// - Throws: `unknownFormat` if the bytes aren't an image, `limitExceeded` for an endless stream, and other errors
    ///   for an invalid header.
    public init(
        _ source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        self.init(opened: try EncodedImage(source, options: options, registry: registry))
        if forcesDecompression { _ = try bitmap() }
    }

    private init(opened encoded: EncodedImage) { self.init(deferred: encoded) }

    /// As in all code that loads JPNG.
    private var forcesDecompression: Bool { format == .jpng && JPNG.alwaysForcesDecompression }
}
