#if TIFF
internal import Raster

/// A sink that writes a TIFF file of several pages.
final class TIFFSequenceEncoder: FrameSink {
    private let file: TIFFFileWriter
    private let options: EncodingOptions
    private let count: Int
    private var written = 0

    /// - Throws: `invalidParameter` unless `count` is one to 65535, which is what a page's number has room for.
    init(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) {
        guard (1...65535).contains(count) else {
            throw ImageError(.invalidParameter, "a TIFF file can't be written of \(count) pages")
        }
        file = try TIFFFileWriter(for: info, count: count, output: output)
        self.options = options
        self.count = count
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        guard written < count else { throw ImageError(.invalidParameter, "more than \(count) pages of a TIFF file") }
        let page = try TIFFPageWriter(file, frame.info, options: options, page: (written, count))
        try page.write(frame.rows)
        try page.finish()
        written += 1
    }

    func finish() throws(ImageError) {
        guard written == count else {
            throw ImageError(.invalidParameter, "only \(written) of the TIFF file's \(count) pages")
        }
        try file.finish()
    }
}
#endif
