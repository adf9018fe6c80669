public import Raster

extension ImageFormat {
    /// BMP, as written by Windows and OS/2.
    public static let bmp = ImageFormat(
        typeIdentifier: "com.microsoft.bmp", name: "BMP", mimeTypes: ["image/bmp", "image/x-bmp", "image/x-ms-bmp"],
        filenameExtensions: ["bmp", "dib"])
}

extension BuiltInFormat {
    /// BMP, in every build.
    static let bmp = BuiltInFormat(.bmp) { _ in BMPCodec() }
}

/// Reads and writes the BMP files of Windows and OS/2.
///
/// Reads every depth from 1 to 32 bits, channel masks, run lengths, OS/2's Huffman codes, embedded JPEG and PNG files,
/// calibrated colours and embedded ICC profiles. Pixels that run-length data skips have palette index 0. Alpha requires
/// a mask, and is ignored if it is 0 in every pixel. Writes 24 bits, or 32 with alpha.
public struct BMPCodec: ImageCodec {
    /// Creates a codec, which has no state.
    public init() {}

    /// Always `bmp`.
    public var format: ImageFormat { .bmp }
    /// Decoding and encoding, both row by row.
    public var capabilities: ImageCapabilities { [.decode, .encode, .incremental, .alpha, .deepColor, .lossless] }

    /// Matches "BM" followed by a header of a known length.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch probe.starts(with: [0x42, 0x4D]) {
        case nil: return .needMoreData(minimum: Self.signatureByteCount)
        case false?: return .unknown
        case true?: break
        }
        guard probe.prefix.byteCount >= Self.signatureByteCount else {
            return probe.isWhole ? .unknown : .needMoreData(minimum: Self.signatureByteCount)
        }
        // In bounds by the guard above; four bytes have no invalid value.
        let count = UInt32(
            littleEndian: probe.prefix.unsafeLoadUnaligned(
                fromByteOffset: BMPLayout.fileHeaderByteCount, as: UInt32.self))
        return BMPHeader.isByteCount(Int(count)) ? .match(.bmp) : .unknown
    }

    /// The bytes up to and including the header's length.
    private static let signatureByteCount = BMPLayout.fileHeaderByteCount + 4

    /// Creates a decoder for a BMP file.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        BMPDecoder(options: options)
    }

    /// Eight bits a channel and straight alpha, if any; grey becomes RGB. An ICC profile is kept, and any other colour
    /// space becomes sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var encodable = info.straight
        encodable.format = .rgba8
        return encodable
    }

    /// Creates a sink that writes each row as it arrives, top-down, and buffers only one.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try BMPEncoder(info, options: options, output: output)
    }
}

extension BMPCodec: InPlaceDecoding {
    func makePicture(in source: Source, options: DecodingOptions) throws(ImageError) -> (any WholePicture)? {
        guard source.allowsRandomAccess(options.limits) else { return nil }
        return try BMPPicture(source, options: options)
    }
}

// Measured: 3 to 5 ns a pixel both ways. Most files are stored bottom-up, so what arrives from its first byte on is buffered.
extension BMPCodec {
    /// All pixels.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 4, secondsPerMegapixel: 0.01)
    }

    /// All bytes of the file.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        CodingCost(of: info.size, bytesPerPixel: info.storedBytesPerPixel * 2.5, secondsPerMegapixel: 0.01)
    }
}
