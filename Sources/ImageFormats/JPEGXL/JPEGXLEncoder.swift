#if JPEGXL
internal import Raster

/// Collects a picture's rows and has libjxl compress them.
final class JPEGXLEncoder: RowSink {
    private let compressor: JPEGXLCompressor
    private var awaited: AwaitedRows

    /// - Throws: `invalidParameter` for rows or options that JPEG XL can't take; `unsupported` for a profile that libjxl
    ///   can't use, or without libjxl.
    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        compressor = try JPEGXLCompressor(output: output)
        try compressor.start(info, options: options, isAnimation: false)
        awaited = AwaitedRows(info, in: .jpegXL)
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try awaited.check(rows)
        try compressor.write(rows)
        awaited.count -= rows.count
    }

    func finish() throws(ImageError) {
        try awaited.checkNone()
        try compressor.endPicture(isLast: true)
    }
}
#endif
