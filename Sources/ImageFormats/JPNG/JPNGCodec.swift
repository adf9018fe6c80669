internal import JPNGContainer
public import Raster

/// Reads and writes JPNG: a JPEG for the colours, a mask behind it for the transparency, a footer that tells of both.
public struct JPNGCodec: ImageCodec {
    /// The codec.
    public init() {}

    /// JPNG.
    public var format: ImageFormat { .jpng }
    /// What it can do.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .incremental, .scaledDecoding, .alpha, .lossy, .orientation]
    }

    /// A match for a JPEG whose last bytes are a JPNG's footer. While the end isn't known, every JPEG may be one and is
    /// claimed, as a JPEG.
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
            // A damaged footer is still a footer: its session shows the colours and says what is wrong.
            return .match(.jpng)
        }
    }

    /// A session that pairs the rows of both parts; or, while the end isn't known or the footer is damaged, one that
    /// begins as a JPEG's.
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

    /// Eight bits and straight alpha, if any; grey stays grey. The profile goes into the colour part where it is an ICC
    /// profile; any other colour space becomes sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var encodable = JPEGCodec().encodableInfo(for: info, options: options)
        encodable.alpha = info.alpha.hasAlpha ? .straight : .none
        return encodable
    }

    /// A sink that compresses both parts as rows come. The mask's bytes are held until the end; opaque rows get an
    /// opaque mask.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try JPNGEncoder(info, options: options, output: output)
    }
}

extension JPNGCodec {
    /// The JPEG's, and the mask beside it.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        JPEGCodec().decodingCost(of: header)
            + CodingCost(of: header.storedSize, bytesPerPixel: 4, secondsPerMegapixel: 0.02)
    }

    /// The JPEG's, and the mask's: a grey PNG or a second JPEG.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        var mask = info
        (mask.format, mask.alpha) = (.gray8, .none)
        return JPEGCodec().encodingCost(of: info, options: options)
            + PNGCodec().encodingCost(of: mask, options: options)
    }
}
