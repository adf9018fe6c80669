internal import Raster

/// Writes an animated PNG, with each frame cropped to the pixels that changed (PNG, third edition, 4.9).
///
/// The first frame is also the image for decoders without animation support.
final class PNGSequenceEncoder: FrameSink {
    private let info: BitmapInfo
    private let header: PNGHeader
    private let options: EncodingOptions
    private let writer: PNGChunkWriter
    private var shown: Bitmap?
    private var remaining: RemainingFrames
    private var sequenceNumber = 0

    init(
        _ info: BitmapInfo, header: PNGHeader, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) {
        remaining = try RemainingFrames(count, of: info, in: .png, range: 1...0x7FFF_FFFF)
        self.info = info
        self.header = header
        self.options = options
        writer = PNGChunkWriter(output)
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        try remaining.take(frame)
        if let shown {
            try write(frame, over: shown, duration: duration)
        } else {
            let data = try compressed(frame)
            try writer.writeHead(header, profile: info.profile, metadata: options.metadata, palette: nil)
            let playCount = max(0, min(options.loopCount, 0x7FFF_FFFF))
            try writer.write(
                .animationControl, PNGAnimationControl(frameCount: remaining.total, playCount: playCount).data)
            try writeControl(AnimationFrame(region: PixelRect(info.size), storedDuration: duration))
            for piece in data { try writer.write(.imageData, piece) }
        }
        shown = frame
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        try writer.write(.end, [])
    }

    private func write(_ frame: Bitmap, over shown: Bitmap, duration: Double) throws(ImageError) {
        // Every frame has at least one pixel.
        let region = FrameDifference.region(shown, frame) ?? PixelRect(x: 0, y: 0, width: 1, height: 1)
        var data = try compressed(frame.cropped(to: region))
        var blending = AnimationFrame.Blending.source
        if info.alpha.hasAlpha, let changes = try FrameDifference.changes(shown, frame, in: region) {
            let drawn = try compressed(changes)
            if Self.byteCount(drawn) < Self.byteCount(data) { (data, blending) = (drawn, .over) }
        }
        try writeControl(AnimationFrame(region: region, blending: blending, storedDuration: duration))
        for piece in data { try writer.write(.frameData, nextSequenceNumber() + piece) }
    }

    private func writeControl(_ frame: AnimationFrame) throws(ImageError) {
        try writer.write(.frameControl, nextSequenceNumber() + PNGFrameControl.data(frame))
    }

    private func nextSequenceNumber() -> [UInt8] {
        defer { sequenceNumber += 1 }
        return sequenceNumber.bigEndianBytes(4)
    }

    /// Returns a frame's zlib stream, in pieces of one chunk each.
    private func compressed(_ bitmap: Bitmap) throws(ImageError) -> [[UInt8]] {
        var header = header
        header.size = bitmap.size
        var pieces: [[UInt8]] = []
        let encoder = try PNGImageDataEncoder(header, from: bitmap.info, options: options) { piece in
            // The pointer is used within the call only.
            pieces.append(piece.withUnsafeBytes { Array($0) })
        }
        try encoder.write(bitmap.rows)
        try encoder.finish()
        return pieces
    }

    private static func byteCount(_ pieces: [[UInt8]]) -> Int { pieces.reduce(0) { $0 + $1.count } }
}
