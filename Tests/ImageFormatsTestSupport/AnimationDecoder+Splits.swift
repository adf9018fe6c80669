package import ImageFormats
internal import Raster

extension AnimationDecoder {
    /// Passes `bytes` in chunks that end at `splits`, and finishes.
    package func read(_ bytes: [UInt8], splits: [Int]) throws(ImageError) {
        var start = 0
        for end in splits + [bytes.count] {
            try append(bytes.span.bytes.extracting(start..<end))
            start = end
        }
        try finish()
    }
}
