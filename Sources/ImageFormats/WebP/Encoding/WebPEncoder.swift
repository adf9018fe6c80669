#if WebP
internal import Raster

/// Writes one picture as a WebP file.
final class WebPEncoder: RowSink {
    private let output: any ByteSink
    private let pixels: WebPPixelEncoder
    private let container: WebPContainerWriter
    private var awaited: AwaitedRows

    /// - Throws: `invalidParameter` for rows that WebP can't take; `unsupported` for a side beyond 16383 pixels.
    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try WebPCodec.check(info, options)
        self.output = output
        pixels = try WebPPixelEncoder(info, options: options)
        container = WebPContainerWriter(info, options: options)
        awaited = AwaitedRows(info, in: .webP)
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try awaited.check(rows)
        try pixels.write(rows)
        awaited.count -= rows.count
    }

    func finish() throws(ImageError) {
        try awaited.checkNone()
        try container.write(pixels.finish(), to: output)
    }
}
#endif
