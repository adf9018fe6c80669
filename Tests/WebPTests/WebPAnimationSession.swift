#if WebP
import ImageFormats
import ImageFormatsTestSupport
import Raster

/// Reads all of an animation, the way a caller would.
struct WebPAnimationSession {
    var header: ImageHeader?
    var canvas: BitmapInfo?
    var frames: [AnimationFrame] = []
    var bitmaps: [Bitmap?] = []
    var error: ImageError?

    init(_ bytes: [UInt8], splits: [Int] = [], limits: DecodingLimits = .standard) {
        do throws(ImageError) {
            let decoder = try WebPCodec().makeAnimationDecoder(
                for: FormatProbe(streamPrefix: bytes.span.bytes), options: DecodingOptions(limits: limits))
            do throws(ImageError) {
                try decoder.read(bytes, splits: splits)
            } catch {
                self.error = error
            }
            header = decoder.header
            frames = decoder.frames
            guard header != nil else { return }
            canvas = try decoder.start()
            bitmaps = frames.indices.map { try? decoder.decodeFrame(at: $0) }
        } catch {
            self.error = error
        }
    }
}
#endif
