extension CodecRegistry {
    /// All formats of this package, in the order in which their codecs identify a file.
    static let builtInFormats: [BuiltInFormat] = [
        .jpng,  // Before JPEG, which it begins as.
        .png,
        .jpeg,
        .gif,
        .bmp,
        .icons,
        .xbm,
        .qoi,
        .pnm,
        .webP,
        .cameraRaw,  // Before TIFF, which it begins as.
        .tiff,
        .psd,
        .hdr,
        .exr,
        .heif,
        .avif,
        .jpegXL,
        .jpeg2000,
        .pdf,
        .svg,  // After the signatures, since it reads the most before it knows.
        .tga,  // Last, since it has no signature and other data may match by chance.
    ]

    /// The codecs of this build, as far as the libraries that they need are installed.
    public static let builtIn = CodecRegistry(
        builtInFormats.flatMap { folder in folder.formats.compactMap(folder.codec) })
}

/// A format as its folder declares it: names, options chosen by name on the command line, and the codec of this build.
///
/// Each folder declares one, and `CodecRegistry.builtInFormats` has a line for it. No other list of formats exists.
struct BuiltInFormat: Sendable {
    /// The formats that the codecs read and write.
    let formats: [ImageFormat]
    /// Makes the encoding options selectable by name, which most programs never ask for.
    let options: @Sendable () -> [FormatOption]
    /// Makes the codec of a format; nil if its library isn't available.
    let codec: @Sendable (ImageFormat) -> (any ImageCodec)?

    /// Declares formats; `codec` returns nil for those known only by name.
    init(
        _ formats: ImageFormat..., options: @autoclosure @escaping @Sendable () -> [FormatOption] = [],
        codec: @escaping @Sendable (ImageFormat) -> (any ImageCodec)?
    ) {
        self.formats = formats
        self.options = options
        self.codec = codec
    }
}
