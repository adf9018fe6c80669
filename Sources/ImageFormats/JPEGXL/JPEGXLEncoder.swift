#if JPEGXL
internal import Raster

/// Collects a picture's rows and has libjxl compress them.
final class JPEGXLEncoder: RowSink {
    private let compressor: JPEGXLCompressor
    private let info: BitmapInfo
    private var rowsLeft: Int

    /// - Throws: `invalidParameter` for rows or options that JPEG XL can't take; `unsupported` for a profile that libjxl
    ///   can't use, or without libjxl.
    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        compressor = try JPEGXLCompressor(output: output)
        try compressor.start(info, options: options, isAnimation: false)
        self.info = info
        rowsLeft = info.size.height
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        guard rows.format == info.format, rows.width == info.size.width, rows.count <= rowsLeft else {
            throw ImageError(.invalidParameter, "rows that don't fit the JPEG XL being written")
        }
        try compressor.write(rows)
        rowsLeft -= rows.count
    }

    func finish() throws(ImageError) {
        guard rowsLeft == 0 else {
            throw ImageError(.invalidParameter, "\(rowsLeft) rows of the JPEG XL were not written")
        }
        try compressor.endPicture(isLast: true)
    }
}
#endif
