#if WebP
public import Raster

extension WebPCodec {
    /// Eight bits of red, green and blue, with straight alpha or none. An ICC profile is carried, any other colour space
    /// becomes sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var encodable = info
        encodable.format = .rgba8
        encodable.alpha = info.alpha.hasAlpha ? .straight : .none
        if case .calibrated = info.profile { encodable.profile = .sRGB }
        return encodable
    }

    /// A sink that keeps the rows, lossy ones with half of their chroma, and compresses them when all are there.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try WebPEncoder(info, options: options, output: output)
    }

    /// A sink for the frames of an animation, which is written when all are there.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        try WebPAnimationEncoder(info, count: count, options: options, output: output)
    }

    /// Checks what is to be written.
    static func check(_ info: BitmapInfo, _ options: EncodingOptions) throws(ImageError) {
        try options.validate()
        guard (0...6).contains(options.webP.method) else {
            throw ImageError(.invalidParameter, "a WebP method of \(options.webP.method) is not between 0 and 6")
        }
        guard info.format == .rgba8, info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a WebP takes rgba pixels of 8 bits, with straight alpha or none")
        }
        guard max(info.size.width, info.size.height) <= maximumSideLength else {
            throw ImageError(
                .unsupported,
                "a WebP picture has at most \(maximumSideLength) pixels on a side, and this one is \(info.size)")
        }
    }

    /// What 14 bits hold (RFC 6386, 9.1).
    static let maximumSideLength = 16383
}
#endif
