#if HEIF
internal import CTesseraHEIF
public import Raster

/// Reads and writes HEIF (ISO/IEC 23008-12) by libheif: HEIC, whose pictures are coded as HEVC, and HEIF of other
/// codings as far as the library has decoders.
///
/// Grids of tiles are decoded by rows of tiles. Image sequences are read without their masks, and only where frames are
/// stored in the order in which they are shown: libheif 1.15 has no part in that.
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
        var capabilities: ImageCapabilities = [.decode, .decodePages, .decodeAnimation, .alpha, .deepColor]
        if tessera_heif_can_encode() { capabilities.formUnion([.encode, .lossy, .lossless, .orientation]) }
        return capabilities
    }

    /// Reads the brands that the file names.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        FileTypeBox.match(probe, format) { $0.isHEVCSequence }
    }

    /// A session that decodes once all bytes are there. `imageIndex` counts the pictures that stand for themselves.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        try Self.load()
        let format = format
        return WholeInputDecoder(format, limits: options.limits) { (bytes) throws(ImageError) in
            try HEIFFile.picture(in: bytes, format: format, options: options)
        }
    }

    /// A session for the frames of a sequence, which are known once all bytes are there.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        try Self.load()
        return HEIFAnimationDecoder(format, options: options)
    }

    /// Grey, RGB or RGBA of 8 bits, or of 16, of which 10 are written. An ICC profile is carried.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        info.straight
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

// Measured with libheif 1.15 and x265 3.5, one thread: decoding 75 ns and 11 bytes a pixel; encoding 1.75 µs and 18 to
// 24 bytes a pixel, by x265's preset "slow", which is libheif's default. x265 compresses a picture in one call that
// nothing stops.
extension HEIFCodec {
    /// The picture in libheif's planes, as it is stored and as RGB.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        .inOneCall(
            header.storedSize, bytesPerPixel: header.bitsPerChannel > 8 ? 20 : 12, secondsPerMegapixel: 0.08,
            baseByteCount: 16 << 20)
    }

    /// The picture in libheif's planes, as RGB and as YCbCr, and x265's own.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        let isDeep = info.format.bitsPerChannel > 8
        return .inOneCall(
            info.size, bytesPerPixel: (options.isLossless ? 40 : 24) * (isDeep ? 2 : 1),
            secondsPerMegapixel: options.isLossless ? 4 : 1.8, baseByteCount: 32 << 20)
    }
}
#endif
