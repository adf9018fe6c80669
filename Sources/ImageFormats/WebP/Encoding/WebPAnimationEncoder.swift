#if WebP
internal import Raster

/// Writes an animated WebP file; of each frame only the part that differs from the frame before.
final class WebPAnimationEncoder: FrameSink {
    private let info: BitmapInfo
    private var remaining: RemainingFrames
    private let options: EncodingOptions
    private let output: any ByteSink
    private var previous: Bitmap?
    private var frames: [[UInt8]] = []
    private var hasAlpha: Bool
    /// The start of the next frame in seconds.
    private var time = 0.0

    /// - Throws: `invalidParameter` for unsupported frames, `unsupported` for a side of more than 16383 pixels.
    init(_ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try WebPCodec.check(info, options)
        remaining = try RemainingFrames(count, of: info, in: .webP)
        self.info = info
        self.options = options
        self.output = output
        hasAlpha = info.alpha.hasAlpha
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        try remaining.take(frame)
        let pixel = PixelRect(x: 0, y: 0, width: 1, height: 1)
        let region =
            previous.map { (FrameDifference.region($0, frame) ?? pixel).fromEvenPixels } ?? PixelRect(info.size)
        var picture = try encoded(frame.cropped(to: region))
        var blending = AnimationFrame.Blending.source
        // Unchanged pixels can also be transparent. Which of the two takes fewer bytes depends on the image.
        if options.isLossless, let previous, let overlay = try FrameDifference.changes(previous, frame, in: region) {
            let drawnOver = try encoded(overlay)
            if drawnOver.count < picture.count {
                (picture, blending, hasAlpha) = (drawnOver, .over, true)
            }
        }
        try frames.append(frameChunk(picture, region, blending, milliseconds: milliseconds(duration)))
        previous = frame
    }

    private func encoded(_ part: Bitmap) throws(ImageError) -> [UInt8] {
        let pixels = try WebPPixelEncoder(part.info, options: options)
        try pixels.write(part.rows)
        return try pixels.finish()
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        try WebPContainerWriter(info, options: options).write(
            frames: frames, loopCount: options.loopCount, hasAlpha: hasAlpha, to: output)
    }

    /// Returns a frame's duration in milliseconds, rounded so that errors don't add up.
    private func milliseconds(_ duration: Double) throws(ImageError) -> Int {
        guard duration >= 0, duration <= Self.longestDuration else {
            throw ImageError(
                .invalidParameter, "a WebP frame lasts 0 to \(Self.longestDuration) seconds, not \(duration)")
        }
        let begin = (time * 1000).rounded()
        time += duration
        return min(0xFF_FFFF, Int((time * 1000).rounded() - begin))
    }

    /// The largest number of milliseconds in 24 bits, in seconds.
    private static let longestDuration = 16_777.215

    /// Makes the ANMF chunk of a frame at `region` (RFC 9649, 2.7.1.1).
    private func frameChunk(
        _ picture: [UInt8], _ region: PixelRect, _ blending: AnimationFrame.Blending, milliseconds: Int
    ) -> [UInt8] {
        var contents = (region.x / 2).littleEndianBytes(3) + (region.y / 2).littleEndianBytes(3)
        contents += (region.width - 1).littleEndianBytes(3) + (region.height - 1).littleEndianBytes(3)
        contents += milliseconds.littleEndianBytes(3) + [blending == .source ? 2 : 0]
        return WebPContainerWriter.chunk(.frame, contents + picture)
    }
}

extension PixelRect {
    /// The smallest rectangle that contains this one and starts at even pixels.
    fileprivate var fromEvenPixels: PixelRect {
        let (left, top) = (x / 2 * 2, y / 2 * 2)
        return PixelRect(x: left, y: top, width: x + width - left, height: y + height - top)
    }
}
#endif
