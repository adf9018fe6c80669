#if WebP
internal import Raster

/// Writes an animated WebP file: of each frame only the part that differs from the one before.
final class WebPAnimationEncoder: FrameSink {
    private let info: BitmapInfo
    private let count: Int
    private let options: EncodingOptions
    private let output: any ByteSink
    private var previous: Bitmap?
    private var frames: [[UInt8]] = []
    private var hasAlpha: Bool
    /// When the next frame begins, in seconds.
    private var time = 0.0

    /// - Throws: `invalidParameter` for frames that WebP can't take; `unsupported` for a side beyond 16383 pixels.
    init(_ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try WebPCodec.check(info, options)
        guard count > 0 else { throw ImageError(.invalidParameter, "an animation of \(count) frames") }
        self.info = info
        self.count = count
        self.options = options
        self.output = output
        hasAlpha = info.alpha.hasAlpha
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        guard frame.info == info, frames.count < count else {
            throw ImageError(.invalidParameter, "a frame that doesn't fit the WebP being written")
        }
        let region = previous.map { frame.difference(from: $0) } ?? PixelRect(info.size)
        var picture = try encoded(frame.cropped(to: region))
        var blending = AnimationFrame.Blending.source
        // Pixels that stay as they are can also be left out. Which takes fewer bytes depends on the picture.
        if options.isLossless, let previous, let overlay = try frame.overlay(on: previous, region) {
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
        guard frames.count == count else {
            throw ImageError(.invalidParameter, "\(frames.count) frames of \(count) were written")
        }
        try WebPContainerWriter(info, options: options).write(
            frames: frames, loopCount: options.loopCount, hasAlpha: hasAlpha, to: output)
    }

    /// How long a frame of `duration` seconds stays, so that rounding never adds up.
    private func milliseconds(_ duration: Double) throws(ImageError) -> Int {
        guard duration >= 0, duration <= Self.longestDuration else {
            throw ImageError(
                .invalidParameter, "a WebP frame lasts 0 to \(Self.longestDuration) seconds, not \(duration)")
        }
        let begin = (time * 1000).rounded()
        time += duration
        return min(0xFF_FFFF, Int((time * 1000).rounded() - begin))
    }

    /// What 24 bits of milliseconds hold.
    private static let longestDuration = 16_777.215

    /// The ANMF chunk of a frame that stays in `region` (RFC 9649, 2.7.1.1).
    private func frameChunk(
        _ picture: [UInt8], _ region: PixelRect, _ blending: AnimationFrame.Blending, milliseconds: Int
    ) -> [UInt8] {
        var contents = (region.x / 2).littleEndianBytes(3) + (region.y / 2).littleEndianBytes(3)
        contents += (region.width - 1).littleEndianBytes(3) + (region.height - 1).littleEndianBytes(3)
        contents += milliseconds.littleEndianBytes(3) + [blending == .source ? 2 : 0]
        return WebPContainerWriter.chunk(.frame, contents + picture)
    }
}

extension Bitmap {
    /// The smallest rectangle from even pixels on that holds all differences from `other`, of the same kind; a pixel
    /// where there are none.
    fileprivate func difference(from other: Bitmap) -> PixelRect {
        var (left, right, top, bottom) = (width, 0, height, 0)
        let (new, old) = (rows, other.rows)
        for y in 0..<height {
            let (a, b) = (new.row(y, as: RGBA8.self), old.row(y, as: RGBA8.self))
            var first = 0
            while first < width, a[first] == b[first] { first += 1 }
            guard first < width else { continue }
            var last = width - 1
            while a[last] == b[last] { last -= 1 }
            (left, right) = (min(left, first), max(right, last + 1))
            (top, bottom) = (min(top, y), y + 1)
        }
        guard bottom > 0 else { return PixelRect(x: 0, y: 0, width: 1, height: 1) }
        (left, top) = (left / 2 * 2, top / 2 * 2)
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// What has to be drawn over `other` in `region` to make it this picture: the pixels that differ, nothing elsewhere.
    /// Nil where that can't be, since one of them isn't opaque, or where all differ.
    fileprivate func overlay(on other: Bitmap, _ region: PixelRect) throws(ImageError) -> Bitmap? {
        var overlay = try MutableBitmap(
            BitmapInfo(size: region.size, format: .rgba8, alpha: .straight, profile: profile))
        var target = overlay.mutableRows
        let (new, old) = (rows, other.rows)
        var isSame = false
        for y in 0..<region.height {
            let (a, b) = (new.row(region.y + y, as: RGBA8.self), old.row(region.y + y, as: RGBA8.self))
            var row = target.row(y, as: RGBA8.self)
            for x in 0..<region.width {
                let pixel = a[region.x + x]
                if pixel == b[region.x + x] {
                    isSame = true
                } else if pixel.alpha == 255 {
                    row[x] = pixel
                } else {
                    return nil
                }
            }
        }
        return isSame ? overlay.freeze() : nil
    }
}
#endif
