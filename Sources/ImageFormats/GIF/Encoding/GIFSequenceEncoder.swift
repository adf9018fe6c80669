internal import Raster

/// Writes an animated GIF frame by frame.
///
/// For each frame, writes only the part that changed, and within that only the changed pixels. A frame is written once
/// the next one arrives, because that determines which pixels must become transparent in between.
final class GIFSequenceEncoder: FrameSink {
    private let info: BitmapInfo
    private var remaining: RemainingFrames
    private let options: EncodingOptions
    private let writer: GIFWriter
    private var clock = GIFClock()
    private var indexer: GIFFrameIndexer
    /// The canvas before the waiting frame.
    private var canvas: GIFPixels
    private var waiting: (pixels: GIFPixels, delay: Int)?

    /// - Throws: `invalidParameter` for a count below 1.
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
        // Pixels that become transparent must be cleared in between, and only a frame's own region can be.
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

/// Converts durations to hundredths of a second, carrying rounding errors over to later frames.
struct GIFClock {
    /// The total requested and the total assigned so far, in hundredths of a second.
    private var asked = 0.0
    private var given = 0

    /// The delay for a frame of `duration` seconds, in hundredths of a second.
    ///
    /// A duration of 1.1 hundredths or more gets at least two, as viewers show shorter delays for a tenth of a second.
    mutating func delay(for duration: Double) -> Int {
        // A duration above the longest delay isn't carried over.
        let wanted = min(duration * 100, 65535)
        asked += wanted
        let least = wanted < 1.1 ? Int(wanted.rounded()) : 2
        let delay = min(65535, max(least, Int((asked - Double(given)).rounded())))
        given += delay
        return delay
    }
}
