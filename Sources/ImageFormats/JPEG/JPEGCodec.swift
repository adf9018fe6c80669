public import Raster

/// Reads and writes JPEG, by libjpeg-turbo.
///
/// Reads baseline, extended and progressive files of 8 bits, Huffman and arithmetic coded: grey, RGB, YCbCr of any
/// sampling, CMYK and YCCK. Writes grey and YCbCr. Further pictures that a file lists (CIPA DC-007, "MPF"), such as a gain
/// map, are pages.
public struct JPEGCodec: ImageCodec {
    /// The codec.
    public init() {}

    /// JPEG.
    public var format: ImageFormat { .jpeg }
    /// What it can do.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .decodePages, .incremental, .scaledDecoding, .lossy]
    }

    /// A match for start-of-image and the beginning of another marker: FF D8 FF.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch probe.starts(with: [0xFF, 0xD8, 0xFF]) {
        case true?: .match(.jpeg)
        case false?: .unknown
        case nil: .needMoreData(minimum: 3)
        }
    }

    /// A session that decodes by libjpeg: the first picture, or the one with the options' index.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        guard let index = options.imageIndex, index != 0 else { return try JPEGDecoder(options: options) }
        return try JPEGPageDecoder(index, options: options)
    }

    /// Eight bits, no alpha; grey stays grey. An ICC profile is carried, any other colour space becomes sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var encodable = info
        encodable.format = info.format.withBitsPerChannel(8)
        encodable.alpha = .none
        if case .calibrated = info.profile { encodable.profile = .sRGB }
        return encodable
    }

    /// A sink that compresses rows as they come; bytes follow the rows unless tables are optimised or scans are many.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try JPEGEncoder(info, options: options, output: output)
    }
}
