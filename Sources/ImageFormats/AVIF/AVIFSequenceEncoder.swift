#if AVIF
internal import Raster

/// Writes the frames of an animation.
final class AVIFSequenceEncoder: FrameSink {
    private let writer: AVIFWriter
    private let output: any ByteSink
    private var framesLeft: Int

    init(_ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        guard count > 0 else { throw ImageError(.invalidParameter, "an animation of no frames") }
        writer = try AVIFWriter(info, options: options, isAnimated: true)
        self.output = output
        framesLeft = count
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        guard framesLeft > 0 else { throw ImageError(.invalidParameter, "more frames than the AVIF was to have") }
        try writer.add(frame, duration: duration)
        framesLeft -= 1
    }

    func finish() throws(ImageError) {
        guard framesLeft == 0 else {
            throw ImageError(.invalidParameter, "\(framesLeft) frames of the AVIF were not written")
        }
        try writer.finish(to: output)
    }
}
#endif
