#if TIFF
public import Raster

extension TIFFCodec {
    /// The same picture, with straight alpha. JPEG has 8 bits and no alpha. An ICC profile is carried, any other colour
    /// space becomes sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var encodable = info
        if info.alpha == .premultiplied { encodable.alpha = .straight }
        if options.tiff.compression == .jpeg {
            encodable.format = info.format.withBitsPerChannel(8)
            encodable.alpha = .none
        }
        if case .calibrated = info.profile { encodable.profile = .sRGB }
        return encodable
    }

    /// A sink that packs rows as they come, in memory: where things are is written last and stands first.
    ///
    /// The file is a BigTIFF when it could become larger than 4 GB.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        let file = try TIFFFileWriter(for: info, count: 1, output: output)
        return TIFFEncoder(try TIFFPageWriter(file, info, options: options, page: nil), file)
    }

    /// A sink that makes a page of each picture, of whatever size.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        try TIFFSequenceEncoder(info, count: count, options: options, output: output)
    }
}
#endif
