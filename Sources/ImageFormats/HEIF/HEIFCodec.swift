#if HEIF
internal import CTesseraHEIF
public import Raster

/// Reads and writes HEIF (ISO/IEC 23008-12) by libheif: HEIC, whose pictures are coded as HEVC, and HEIF of other
/// codings as far as the library has decoders.
///
/// The library is loaded when the first such file is read or written, or when somebody asks what can be done.
public struct HEIFCodec: ImageCodec {
    /// What it reads and writes: `.heic` or `.heif`.
    public let format: ImageFormat

    /// A codec for HEIC; for `.heif`, one for files that don't say that they are HEIC. Both write the same files.
    public init(_ format: ImageFormat = .heic) {
        self.format = format
    }

    /// What it can do: it writes where libheif was built with x265.
    ///
    /// It claims to read even where the library isn't installed, so that who tries is told what is missing.
    public var capabilities: ImageCapabilities {
        var capabilities: ImageCapabilities = [.decode, .decodePages, .alpha, .deepColor]
        if tessera_heif_can_encode() { capabilities.formUnion([.encode, .lossy, .lossless]) }
        return capabilities
    }

    /// Reads the brands that the file names.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch FileTypeBox.read(probe) {
        case .found(let box): box.imageFormat == format ? .match(format) : .unknown
        case .needMoreData(let minimum): .needMoreData(minimum: minimum)
        case .absent: .unknown
        }
    }

    /// A session that decodes once all bytes are there. `imageIndex` counts the pictures that stand for themselves.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        try Self.load()
        let format = format
        return WholeInputDecoder(format, limits: options.limits) { (bytes) throws(ImageError) in
            try HEIFFile(bytes, format: format, options: options).picture()
        }
    }

    /// Grey, RGB or RGBA of 8 bits, or of 16, of which 10 are written. An ICC profile is carried.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var encodable = info
        if info.alpha == .premultiplied { encodable.alpha = .straight }
        if case .calibrated = info.profile { encodable.profile = .sRGB }
        return encodable
    }

    /// A sink that keeps the rows and compresses them at the end.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try Self.load()
        return try HEIFEncoder(info, options: options, output: output)
    }

    /// Throws `unsupported` where the library isn't there.
    private static func load() throws(ImageError) {
        guard tessera_heif_load() else {
            throw ImageError(.unsupported, "HEIF needs libheif, which isn't installed (Debian's package: libheif1)")
        }
    }
}
#endif
