#if AVIF
internal import Raster

/// The frames of an animated AVIF: each is the whole canvas, and is coded by its difference from frames before it.
final class AVIFAnimationDecoder: AnimationDecoder {
    private let file: AVIFFile
    private(set) var frames: [AnimationFrame] = []

    init(options: DecodingOptions) throws(ImageError) {
        file = try AVIFFile(options: options, framesWanted: true)
    }

    /// A file of one frame is an animation here all the same. How often an animation is played, libavif 0.11 doesn't say:
    /// without end.
    var header: ImageHeader? {
        guard var header = file.header else { return nil }
        if header.sequence == nil { header.sequence = ImageSequence(.animation, count: 1, loopCount: 0) }
        return header
    }

    func append(_ bytes: RawSpan) throws(ImageError) {
        try file.append(bytes)
        collectFrames()
    }

    func finish() throws(ImageError) {
        try file.finish()
        collectFrames()
        let count = header?.sequence?.count ?? 1
        guard frames.count == count else {
            throw ImageError(.truncated, "the AVIF file ends in frame \(frames.count) of \(count)")
        }
    }

    func start() throws(ImageError) -> BitmapInfo {
        guard file.header != nil else { throw ImageError(.invalidParameter, "the AVIF header isn't known yet") }
        return file.info(allowsGray: false)
    }

    func decodeFrame(at index: Int) throws(ImageError) -> Bitmap {
        guard frames.indices.contains(index) else {
            throw ImageError(.invalidParameter, "frame \(index) of the AVIF file isn't there")
        }
        return try file.decode(at: index, allowsGray: false)
    }

    private func collectFrames() {
        guard let header else { return }
        let canvas = PixelRect(x: 0, y: 0, width: header.storedSize.width, height: header.storedSize.height)
        for index in frames.count..<max(frames.count, file.readyCount) {
            frames.append(AnimationFrame(region: canvas, storedDuration: file.duration(of: index)))
        }
    }
}
#endif
