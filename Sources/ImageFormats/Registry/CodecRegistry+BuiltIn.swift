extension CodecRegistry {
    /// The formats of this package, in the order in which their codecs are asked whose file it is.
    static let builtInFormats: [BuiltInFormat] = [
        .jpng,  // Before JPEG, which it begins as.
        .png,
        .jpeg,
        .gif,
        .bmp,
        .icons,
        .xbm,
        .qoi,
        .webP,
        .tiff,
        .heif,
        .avif,
        .jpegXL,
        .svg,  // Last, since it reads the most before it knows.
    ]

    /// What this build can read and write by itself, with the libraries that are installed.
    public static let builtIn = CodecRegistry(
        builtInFormats.flatMap { folder in folder.formats.compactMap(folder.codec) })
}

/// What a format's folder declares: its names, the options that people choose by a word, and the codec that this build has.
///
/// A folder has one of these, and `CodecRegistry.builtInFormats` a line for it. Nothing else lists formats.
struct BuiltInFormat: Sendable {
    /// What its codecs read and write.
    let formats: [ImageFormat]
    /// What can be chosen when they are written.
    let options: [FormatOption]
    /// The codec of each; nil where the library that it is linked with isn't there.
    let codec: @Sendable (ImageFormat) -> (any ImageCodec)?

    /// Formats that this build has a codec for, or only knows by name.
    init(
        _ formats: ImageFormat..., options: [FormatOption] = [],
        codec: @escaping @Sendable (ImageFormat) -> (any ImageCodec)?
    ) {
        self.formats = formats
        self.options = options
        self.codec = codec
    }
}
