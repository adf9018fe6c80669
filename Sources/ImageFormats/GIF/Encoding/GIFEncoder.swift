internal import Raster

/// A sink that writes a GIF file of one picture. All rows have to be there before its colours are known.
final class GIFEncoder: RowSink {
    private let info: BitmapInfo
    private let frames: GIFSequenceEncoder
    private var pixels: GIFPixels

    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) {
        self.info = info
        frames = GIFSequenceEncoder(info, count: 1, options: options, output: output)
        pixels = GIFPixels(size: info.size)
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        precondition(rows.width == info.size.width && rows.format == info.format)
        guard rows.count <= info.size.height - pixels.pixels.count / info.size.width else {
            throw ImageError(.invalidParameter, "more rows than the GIF picture's \(info.size.height)")
        }
        pixels.append(rows, hasAlpha: info.alpha.hasAlpha)
    }

    func finish() throws(ImageError) {
        guard pixels.pixels.count == info.size.pixelCount else {
            throw ImageError(
                .invalidParameter,
                "\(pixels.pixels.count / info.size.width) rows instead of \(info.size.height)")
        }
        try frames.write(pixels, duration: 0)
        try frames.finish()
    }
}
