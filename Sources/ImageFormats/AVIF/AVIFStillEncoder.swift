#if AVIF
internal import Raster

/// Keeps rows until the last one is there, then has them compressed.
final class AVIFStillEncoder: RowSink {
    private let rows: BitmapSink
    private let options: EncodingOptions
    private let output: any ByteSink

    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        rows = try BitmapSink(info)
        self.options = options
        self.output = output
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) { try self.rows.write(rows) }

    func finish() throws(ImageError) {
        try rows.finish()
        guard let bitmap = rows.result else { return }
        try AVIFCodec().encode(bitmap, options: options, output: output)
    }
}
#endif
