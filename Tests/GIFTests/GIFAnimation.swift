import ImageFormats
import ImageFormatsTestSupport
import Raster

/// An animation's frames put on a canvas, pixel by pixel.
struct GIFAnimation {
    var header: ImageHeader?
    var frames: [AnimationFrame] = []
    var info: BitmapInfo?
    /// Every frame as it is shown.
    var shown: [[RGBA8]] = []
    var error: ImageError?
    /// What was wrong with the first frame that couldn't be decoded.
    var frameError: ImageError?

    init(_ bytes: [UInt8], splits: [Int] = [], limits: DecodingLimits = .standard) {
        let options = DecodingOptions(color: .asStored, limits: limits)
        guard
            let decoder = try? GIFCodec().makeAnimationDecoder(
                for: FormatProbe(whole: bytes.span.bytes), options: options)
        else { return }
        do throws(ImageError) {
            try decoder.read(bytes, splits: splits)
        } catch {
            self.error = error
        }
        header = decoder.header
        frames = decoder.frames
        guard header != nil else { return }
        do throws(ImageError) {
            let info = try decoder.start()
            self.info = info
            var canvas = [RGBA8](repeating: RGBA8(0, 0, 0, 0), count: info.size.pixelCount)
            for (index, frame) in frames.enumerated() {
                let before = canvas
                let bitmap = try decoder.decodeFrame(at: index)
                guard bitmap.size == frame.region.size, frame.region.lies(within: info.size) else { return }
                for (offset, pixel) in bitmap.pixels.enumerated() where frame.blending == .source || pixel.alpha > 0 {
                    canvas[Self.place(offset, frame.region, info.size)] = pixel
                }
                shown.append(canvas)
                if frame.disposal == .previous { canvas = before }
                if frame.disposal == .background {
                    for offset in 0..<frame.region.size.pixelCount {
                        canvas[Self.place(offset, frame.region, info.size)] = RGBA8(0, 0, 0, 0)
                    }
                }
            }
        } catch {
            frameError = error
        }
    }

    private static func place(_ offset: Int, _ region: PixelRect, _ size: PixelSize) -> Int {
        (region.y + offset / region.width) * size.width + region.x + offset % region.width
    }
}
