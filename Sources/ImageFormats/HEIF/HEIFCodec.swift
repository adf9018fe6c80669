#if HEIF
internal import CTesseraHEIF
public import Raster

/// Reads and writes HEIF (ISO/IEC 23008-12) with libheif: HEIC, which is coded as HEVC, and other codings for which the
/// library has decoders. Primary images that are JPEGs, in AVC, or not compressed (ISO/IEC 23001-17) are read without it,
/// AVC with libopenh264.
///
/// Tiled images are decoded one row of tiles at a time. libheif 1.15 can't read image sequences; they are read here,
/// without masks, and only if frames are stored in display order.
///
/// The library is loaded when the first file is read or written, or when capabilities are queried.
public struct HEIFCodec: ImageCodec {
    /// The format: `.heic` or `.heif`.
    public let format: ImageFormat

    /// A codec for HEIC files or, with `.heif`, for HEIF files that don't declare HEIC. Both write the same files.
    public init(_ format: ImageFormat = .heic) {
        self.format = format
    }

    /// The codec's capabilities. Encoding requires a libheif with x265.
    ///
    /// Includes decoding even if the library isn't installed, so that an attempt to decode reports what is missing.
    public var capabilities: ImageCapabilities {
        var capabilities: ImageCapabilities = [.decode, .decodePages, .decodeAnimation, .alpha, .deepColor]
        if tessera_heif_can_encode() {
            capabilities.formUnion([.encode, .lossy, .lossless, .orientation, .highDynamicRange])
        }
        return capabilities
    }

    /// True.
    public var canDecode: Bool { true }

    /// True.
    public var mayEncode: Bool { true }

    /// Matches the brands in the file type box.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        FileTypeBox.match(probe, format) { $0.isHEVCSequence }
    }

    /// A decoder that starts once all bytes have arrived. `imageIndex` counts top-level images.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        try Self.load()
        let codec = self
        return WholeInputDecoder(format, limits: options.limits) { (bytes) throws(ImageError) in
            let bytes = try ISOItemFile.expanded(bytes)
            return try StandardAlternatePicture.picture(in: bytes, of: codec, options: options) {
                options throws(ImageError) in
                if let item = HEIFStoredItem(bytes, format: codec.format, options: options) {
                    return try item.picture(options: options)
                }
                return try HEIFFile.picture(in: bytes, format: codec.format, options: options)
            }
        }
    }

    /// A decoder for the frames of a sequence, which are known once all bytes have arrived.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        try Self.load()
        return HEIFAnimationDecoder(format, options: options)
    }

    /// Grey, RGB or RGBA with 8 bits per channel, or with 16, of which 10 are written. ICC profiles are embedded.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        info.straight
    }

    /// A sink that collects the rows and compresses them at the end.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try Self.load()
        return try HEIFEncoder(info, options: options, output: output)
    }

    /// - Throws: `unsupported` if the library isn't installed.
    private static func load() throws(ImageError) {
        guard tessera_heif_load() else {
            throw ImageError(.unsupported, "HEIF needs libheif, which isn't installed (Debian's package: libheif1)")
        }
    }
}

// Measured with libheif 1.15 and x265 3.5 on one thread: decoding takes 75 ns and 11 bytes a pixel; encoding takes
// 1.75 µs and 18 to 24 bytes a pixel with x265's preset "slow", libheif's default. x265 compresses an image in one
// uninterruptible call.
extension HEIFCodec {
    /// The cost of the image in libheif's planes, as stored and as RGB.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        .inOneCall(
            header.storedSize, bytesPerPixel: header.bitsPerChannel > 8 ? 20 : 12, secondsPerMegapixel: 0.08,
            baseByteCount: 16 << 20)
    }

    /// The cost of the image in libheif's planes, as RGB and as YCbCr, and of x265's buffers.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        let isDeep = info.format.bitsPerChannel > 8
        return .inOneCall(
            info.size, bytesPerPixel: (options.isLossless ? 40 : 24) * (isDeep ? 2 : 1),
            secondsPerMegapixel: options.isLossless ? 4 : 1.8, baseByteCount: 32 << 20)
    }
}
#endif
