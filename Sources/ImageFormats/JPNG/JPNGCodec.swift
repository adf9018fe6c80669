internal import JPNGContainer
public import Raster

/// Reads and writes JPNG: a JPEG with the colours, a mask with the transparency, and a footer with their sizes.
public struct JPNGCodec: ImageCodec {
    /// Creates the codec.
    public init() {}

    /// `ImageFormat.jpng`.
    public var format: ImageFormat { .jpng }
    /// Decoding (scaled, incremental) and lossy encoding, with alpha and orientation.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .incremental, .scaledDecoding, .alpha, .lossy, .orientation]
    }

    /// A match for a JPEG whose last bytes are a JPNG's footer. While the end isn't known, every JPEG may be a JPNG,
    /// and the match is `.jpeg`.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch probe.starts(with: [0xFF, 0xD8, 0xFF]) {
        case nil: return .needMoreData(minimum: 3)
        case false?: return .unknown
        case true?: break
        }
        guard let total = probe.totalByteCount else { return .match(.jpeg) }
        do {
            return try JPNGFooter.read(tail: probe.suffix, totalLength: Int64(total)) == nil ? .unknown : .match(.jpng)
        } catch {
            // A damaged footer is still a footer: the session delivers the colours and then throws.
            return .match(.jpng)
        }
    }

    /// Creates a session that decodes both parts; while the end is unknown or if the footer is damaged, one that begins
    /// as a JPEG's.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        if let total = probe.totalByteCount,
            let footer = try? JPNGFooter.read(tail: probe.suffix, totalLength: Int64(total))
        {
            return try JPNGDecoder(footer, options: options)
        }
        return try JPNGCandidateDecoder(options: options)
    }

    /// Eight bits and straight alpha, if any; grey stays grey. An ICC profile is written to the colour part; a
    /// calibrated colour space becomes sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var encodable = JPEGCodec().encodableInfo(for: info, options: options)
        encodable.alpha = info.alpha.hasAlpha ? .straight : .none
        return encodable
    }

    /// Creates a sink that compresses both parts as rows arrive. The mask's bytes are held until the end; opaque rows
    /// get an opaque mask.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try JPNGEncoder(info, options: options, output: output)
    }
}

extension JPNGCodec {
    /// The cost of the JPEG and of the mask.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        JPEGCodec().decodingCost(of: header)
            + CodingCost(of: header.storedSize, bytesPerPixel: 4, secondsPerMegapixel: 0.02)
    }

    /// The cost of the JPEG and of the mask, a grey PNG or a second JPEG.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        var mask = info
        (mask.format, mask.alpha) = (.gray8, .none)
        return JPEGCodec().encodingCost(of: info, options: options)
            + PNGCodec().encodingCost(of: mask, options: options)
    }
}
