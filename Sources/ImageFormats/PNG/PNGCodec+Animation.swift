public import Raster

extension PNGCodec {
    /// A session for the frames of an animated PNG; a PNG that isn't animated has one.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        PNGAnimationDecoder(options: options)
    }

    /// An encoder for an animation: grey, RGB or RGBA frames, as `info` says, each cut to what changed.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        try options.validate()
        return try PNGSequenceEncoder(info, header: Self.header(info), count: count, options: options, output: output)
    }
}
