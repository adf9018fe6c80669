import ImageFormatsTestSupport
import Raster

extension Pillow.Picture {
    /// The pixels of a picture in RGBA; transparent ones are all alike.
    var shown: [RGBA8] {
        stride(from: 0, to: samples.count, by: 4).map { (start: Int) -> RGBA8 in
            samples[start + 3] == 0
                ? RGBA8(0, 0, 0, 0)
                : RGBA8(samples[start], samples[start + 1], samples[start + 2], samples[start + 3])
        }
    }
}
