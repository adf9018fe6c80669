public import Raster

/// Reads and writes TGA, Truevision's format, in versions 1 and 2.
///
/// Reads grey, RGB of 15, 16, 24 and 32 bits and palettes, with or without run lengths, from any of the four origins.
/// Pixels have alpha where the header counts attribute bits, unless the extension area calls them unused;
/// premultiplied colours become straight. Colours are sRGB. Developer areas, thumbnails and gamma are ignored.
///
/// Writes grey of 8 bits, and RGB of 24 bits or 32 with alpha, top-down, with the footer of version 2.
public struct TGACodec: ImageCodec {
    /// A codec without settings.
    public init() {}

    /// The TGA format.
    public var format: ImageFormat { .tga }
    /// Decodes, also incrementally, and encodes losslessly with alpha.
    public var capabilities: ImageCapabilities { [.decode, .encode, .incremental, .alpha, .lossless] }

    /// Matches a header all of whose fields are valid, since TGA has no signature.
    ///
    /// The registry asks this codec last: other data might match by chance.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        let count = min(probe.prefix.byteCount, TGAHeader.byteCount)
        // The pointer doesn't leave the closure.
        let bytes = probe.prefix.extracting(first: count).withUnsafeBytes { Array($0) }
        guard TGAHeader.problem(in: bytes) == nil else { return .unknown }
        if count == TGAHeader.byteCount { return .match(.tga) }
        return probe.isWhole ? .unknown : .needMoreData(minimum: TGAHeader.byteCount)
    }

    /// Makes a session that decodes a TGA file row by row if its first row is at the top and it has no alpha, and at
    /// the end of the file otherwise.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        TGADecoder(options: options)
    }

    /// Eight bits per channel in sRGB, with straight alpha or none.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(
            size: info.size, format: info.format.withBitsPerChannel(8), alpha: info.alpha.hasAlpha ? .straight : .none)
    }

    /// Makes a sink that writes each row when it arrives.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try TGAEncoder(info, options: options, output: output)
    }

    // Estimated: pixels are copied with their channels in another order, twice where the last row comes first.

    /// The memory of the file: most have their last row first, or alpha that the end of the file decides.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 4, secondsPerMegapixel: 0.02)
    }

    /// The memory of the file.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        CodingCost(of: info.size, bytesPerPixel: info.storedBytesPerPixel * 1.5, secondsPerMegapixel: 0.02)
    }
}
