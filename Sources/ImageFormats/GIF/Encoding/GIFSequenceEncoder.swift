internal import Raster

/// A sink that writes an animated GIF, frame by frame.
///
/// Of each frame only the part that changed is written, and of that only the pixels that did. A frame is written when
/// the next one is there: it is that one which says what has to become transparent in between.
final class GIFSequenceEncoder: FrameSink {
    private let info: BitmapInfo
    private var remaining: RemainingFrames
    private let options: EncodingOptions
    private let writer: GIFWriter
    private var clock = GIFClock()
    private var indexer: GIFFrameIndexer
    /// The canvas before the frame that waits.
    private var canvas: GIFPixels
    private var waiting: (pixels: GIFPixels, delay: Int)?

    /// - Throws: `invalidParameter` for no frames at all.
    init(_ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        self.info = info
        remaining = try RemainingFrames(count, of: info, in: .gif)
        self.options = options
        writer = GIFWriter(output: output)
        indexer = GIFFrameIndexer(options: options.gif, reservesTransparency: count > 1)
        canvas = GIFPixels(transparent: info.size)
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        guard duration >= 0, duration.isFinite else {
            throw ImageError(.invalidParameter, "a frame can't be shown for \(duration) seconds")
        }
        try remaining.take(frame)
        let pixels = GIFPixels(frame)
        try writeWaiting(before: pixels)
        waiting = (pixels, clock.delay(for: duration))
    }

    func finish() throws(ImageError) {
        try writeWaiting(before: nil)
        try remaining.checkNone()
        try writer.end()
    }

    private func writeWaiting(before next: GIFPixels?) throws(ImageError) {
        guard let (pixels, delay) = waiting.take() else { return }
        // What is there and won't be has to go in between; only a frame's own part can be cleared.
        let cleared = next.flatMap { next in
            pixels.bounds(comparedWith: next) { $0.alpha > 0 && $1.alpha == 0 }
        }
        let isFirst = indexer.globalPalette == nil
        let changed: PixelRect? =
            isFirst ? PixelRect(info.size) : pixels.bounds(comparedWith: canvas) { $0 != $1 }
        let region = Self.union(changed, cleared) ?? PixelRect(x: 0, y: 0, width: 1, height: 1)

        var frame = try indexer.frame(pixels, region: region, canvas: canvas)
        if isFirst {
            frame.usesGlobalPalette = true
            indexer.globalPalette = frame.palette
            indexer.reservesTransparency = false
            try writer.begin(info.size, palette: frame.palette, loopCount: remaining.total > 1 ? options.loopCount : 1)
        }
        try writer.write(
            frame, delay: delay, disposal: cleared == nil ? .keep : .background, isAnimated: remaining.total > 1)
        canvas = pixels
        if cleared != nil { canvas.clear(region) }
    }

    private static func union(_ a: PixelRect?, _ b: PixelRect?) -> PixelRect? {
        guard let a, let b else { return a ?? b }
        let (x, y) = (min(a.x, b.x), min(a.y, b.y))
        return PixelRect(
            x: x, y: y, width: max(a.x + a.width, b.x + b.width) - x, height: max(a.y + a.height, b.y + b.height) - y)
    }
}

/// Turns durations into hundredths of a second so that what rounding takes from one is given to the next.
struct GIFClock {
    /// The time that was asked for so far, in hundredths of a second, and the time that was given.
    private var asked = 0.0
    private var given = 0

    /// The delay for a frame that is to be shown for `duration` seconds.
    ///
    /// A frame that is to be shown at all fast gets two hundredths at least: less is what viewers take for a tenth.
    mutating func delay(for duration: Double) -> Int {
        // Beyond what a delay can say nothing is made up for.
        let wanted = min(duration * 100, 65535)
        asked += wanted
        let least = wanted < 1.1 ? Int(wanted.rounded()) : 2
        let delay = min(65535, max(least, Int((asked - Double(given)).rounded())))
        given += delay
        return delay
    }
}
