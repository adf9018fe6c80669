public import Raster

extension GIFCodec {
    /// Eight bits in sRGB, alpha straight: a palette has no other colours, and a profile has no place that readers know.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: .rgba8, alpha: info.alpha.hasAlpha ? .straight : .none)
    }

    /// An encoder that keeps all rows until it knows their colours.
    ///
    /// Exact where there are no more colours than the options allow, transparency included; pixels are transparent below
    /// an alpha of 128.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try Self.check(info, options)
        return GIFEncoder(info, options: options, output: output)
    }

    /// An encoder that keeps two frames and writes of each what changed.
    ///
    /// The first frame's colours are the file's; another one has its own where those don't do.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        try Self.check(info, options)
        guard count > 0 else { throw ImageError(.invalidParameter, "a GIF file of \(count) frames") }
        return GIFSequenceEncoder(info, count: count, options: options, output: output)
    }

    private static func check(_ info: BitmapInfo, _ options: EncodingOptions) throws(ImageError) {
        try options.validate()
        guard info.format == .rgba8, info.alpha != .premultiplied, info.profile == .sRGB else {
            throw ImageError(.invalidParameter, "a GIF file is written from sRGB of eight bits, alpha straight")
        }
        guard !info.size.isEmpty, info.size.width <= 65535, info.size.height <= 65535 else {
            throw ImageError(.limitExceeded, "a GIF picture can't be \(info.size)")
        }
    }
}
