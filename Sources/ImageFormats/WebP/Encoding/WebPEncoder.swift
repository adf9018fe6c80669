#if WebP
internal import Raster

/// Writes one picture as a WebP file.
final class WebPEncoder: RowSink {
    private let info: BitmapInfo
    private let output: any ByteSink
    private let pixels: WebPPixelEncoder
    private let container: WebPContainerWriter
    private var rowsLeft: Int

    /// - Throws: `invalidParameter` for rows that WebP can't take; `unsupported` for a side beyond 16383 pixels.
    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try WebPCodec.check(info, options)
        self.info = info
        self.output = output
        pixels = try WebPPixelEncoder(info, options: options)
        container = WebPContainerWriter(info, options: options)
        rowsLeft = info.size.height
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        guard rows.format == info.format, rows.width == info.size.width, rows.count <= rowsLeft else {
            throw ImageError(.invalidParameter, "rows that don't fit the WebP being written")
        }
        try pixels.write(rows)
        rowsLeft -= rows.count
    }

    func finish() throws(ImageError) {
        guard rowsLeft == 0 else {
            throw ImageError(.invalidParameter, "\(rowsLeft) rows of the WebP were not written")
        }
        try container.write(pixels.finish(), to: output)
    }
}
#endif
