public import Raster

extension Image {
    /// The image in the file at `path`, whatever its format.
    ///
    /// Reads the header; pixels are decoded when they are asked for, upright and in sRGB unless the options say otherwise.
    /// A regular file is closed in between, and has to stay as it is.
    ///
    /// ```swift
    /// let image = try Image(path: "photo.heic")
    /// print(image.size, image.format)
    /// ```
    /// - Throws: `inputOutput` for a file that can't be read, `unknownFormat` for one that is no image, and what is wrong
    ///   with the header. Messages name the file.
    public init(
        path: String, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        self.init(opened: try EncodedImage(path: path, options: options, registry: registry))
        if forcesDecompression { _ = try bitmap() }
    }

    /// The image in `data`, whatever its format: an array of bytes, Foundation's `Data`, a buffer of SwiftNIO's.
    ///
    /// Reads the header; pixels are decoded when they are asked for. An array isn't copied.
    /// - Throws: `unknownFormat` for bytes that are no image, and what is wrong with the header.
    public init(
        data: some Sequence<UInt8>, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        self.init(opened: try EncodedImage(Array(data), options: options, registry: registry))
        if forcesDecompression { _ = try bitmap() }
    }

    /// The image in `source`, whatever its format: a file that is held open, or the bytes of a pipe.
    ///
    /// Reads the header, and of a stream all bytes; pixels are decoded when they are asked for.
    /// - Throws: `unknownFormat` for bytes that are no image, `limitExceeded` for a stream without end, and what is wrong
    ///   with the header.
    public init(
        _ source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        self.init(opened: try EncodedImage(source, options: options, registry: registry))
        if forcesDecompression { _ = try bitmap() }
    }

    private init(opened encoded: EncodedImage) { self.init(deferred: encoded) }

    /// As everything that loads JPNG.
    private var forcesDecompression: Bool { format == .jpng && JPNG.alwaysForcesDecompression }
}
