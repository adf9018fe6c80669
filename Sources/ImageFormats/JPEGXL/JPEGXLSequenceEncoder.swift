#if JPEGXL
internal import Raster

/// Has libjxl compress frames one by one, each in place of the one before.
final class JPEGXLSequenceEncoder: FrameSink {
    private let compressor: JPEGXLCompressor
    private let info: BitmapInfo
    private var framesLeft: Int

    /// - Throws: As `JPEGXLEncoder`, and `invalidParameter` for no frames at all.
    init(_ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        guard count > 0 else { throw ImageError(.invalidParameter, "a JPEG XL animation has at least one frame") }
        compressor = try JPEGXLCompressor(output: output)
        try compressor.start(info, options: options, isAnimation: true)
        self.info = info
        framesLeft = count
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        guard framesLeft > 0, frame.info == info else {
            throw ImageError(.invalidParameter, "a frame more than announced, or of another kind")
        }
        guard duration >= 0, duration <= 1_000_000 else {
            throw ImageError(.invalidParameter, "a frame can't be shown for \(duration) seconds")
        }
        framesLeft -= 1
        try compressor.write(frame.rows)
        // A frame of no duration would be a layer of the next one.
        try compressor.endPicture(milliseconds: max(1, UInt32((duration * 1000).rounded())), isLast: framesLeft == 0)
    }

    func finish() throws(ImageError) {
        guard framesLeft == 0 else {
            throw ImageError(.invalidParameter, "\(framesLeft) frames of the JPEG XL were not written")
        }
    }
}
#endif
