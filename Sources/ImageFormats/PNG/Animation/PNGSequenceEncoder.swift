internal import Raster

/// A sink that writes an animated PNG: each frame is cut to what changed (PNG, third edition, 4.9).
///
/// The first frame is the picture that programs see which know nothing of animations.
final class PNGSequenceEncoder: FrameSink {
    private let info: BitmapInfo
    private let header: PNGHeader
    private let count: Int
    private let options: EncodingOptions
    private let writer: PNGChunkWriter
    private var shown: Bitmap?
    private var writtenCount = 0
    private var sequenceNumber = 0

    init(
        _ info: BitmapInfo, header: PNGHeader, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) {
        guard count > 0, count <= 0x7FFF_FFFF else {
            throw ImageError(.invalidParameter, "a PNG animation can't have \(count) frames")
        }
        self.info = info
        self.header = header
        self.count = count
        self.options = options
        writer = PNGChunkWriter(output)
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        guard writtenCount < count else {
            throw ImageError(.invalidParameter, "more frames than the PNG animation's \(count)")
        }
        guard frame.info == info else {
            throw ImageError(.invalidParameter, "a frame of another kind than the PNG animation's others")
        }
        if let shown {
            try write(frame, over: shown, duration: duration)
        } else {
            let data = try compressed(frame)
            try writer.writeHead(header, profile: info.profile, metadata: options.metadata, palette: nil)
            let playCount = max(0, min(options.loopCount, 0x7FFF_FFFF))
            try writer.write(
                .animationControl, PNGAnimationControl(frameCount: count, playCount: playCount).data)
            try writeControl(AnimationFrame(region: PixelRect(info.size), storedDuration: duration))
            for piece in data { try writer.write(.imageData, piece) }
        }
        shown = frame
        writtenCount += 1
    }

    func finish() throws(ImageError) {
        guard writtenCount == count else {
            throw ImageError(.invalidParameter, "only \(writtenCount) of the PNG animation's \(count) frames")
        }
        try writer.write(.end, [])
    }

    private func write(_ frame: Bitmap, over shown: Bitmap, duration: Double) throws(ImageError) {
        // Every frame has at least one pixel.
        let region = PNGFrameDifference.region(shown, frame) ?? PixelRect(x: 0, y: 0, width: 1, height: 1)
        var data = try compressed(frame.cropped(to: region))
        var blending = AnimationFrame.Blending.source
        if let changes = try PNGFrameDifference.changes(shown, frame, in: region) {
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

    /// The picture's stream, in pieces that make a chunk each.
    private func compressed(_ bitmap: Bitmap) throws(ImageError) -> [[UInt8]] {
        var header = header
        header.size = bitmap.size
        var pieces: [[UInt8]] = []
        let encoder = try PNGImageDataEncoder(header, from: bitmap.info, options: options) { piece in
            // Used within the call only.
            pieces.append(piece.withUnsafeBytes { Array($0) })
        }
        try encoder.write(bitmap.rows)
        try encoder.finish()
        return pieces
    }

    private static func byteCount(_ pieces: [[UInt8]]) -> Int { pieces.reduce(0) { $0 + $1.count } }
}

/// What changed from one frame of an animation to the next. Both are of one size and kind.
enum PNGFrameDifference {
    /// The smallest rectangle around all pixels that differ; nil when none does.
    static func region(_ before: Bitmap, _ after: Bitmap) -> PixelRect? {
        switch before.format {
        case .gray8: region(before, after, as: Gray8.self)
        case .gray16: region(before, after, as: Gray16.self)
        case .rgba8: region(before, after, as: RGBA8.self)
        case .rgba16: region(before, after, as: RGBA16.self)
        }
    }

    private static func region<P: Pixel>(_ before: Bitmap, _ after: Bitmap, as type: P.Type) -> PixelRect? {
        var (left, right, top, bottom) = (before.width, -1, -1, -1)
        for y in 0..<before.height {
            let old = before.rows.row(y, as: type)
            let new = after.rows.row(y, as: type)
            var first = 0
            while first < old.count, old[first] == new[first] { first += 1 }
            guard first < old.count else { continue }
            var last = old.count - 1
            while old[last] == new[last] { last -= 1 }
            (left, right) = (min(left, first), max(right, last))
            if top < 0 { top = y }
            bottom = y
        }
        guard top >= 0 else { return nil }
        return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }

    /// The pixels in `region` that differ, the others transparent, to be drawn over those before.
    ///
    /// Nil when that gains nothing, as all differ, or can't be, as one that differs isn't opaque.
    static func changes(_ before: Bitmap, _ after: Bitmap, in region: PixelRect) throws(ImageError) -> Bitmap? {
        guard after.alpha.hasAlpha else { return nil }
        switch after.format {
        case .gray8, .gray16: return nil
        case .rgba8:
            return try changes(before, after, region, transparent: RGBA8(0, 0, 0, 0)) { $0.alpha == 255 }
        case .rgba16:
            return try changes(before, after, region, transparent: RGBA16(0, 0, 0, 0)) { $0.alpha == 65535 }
        }
    }

    @inline(__always)
    private static func changes<P: Pixel>(
        _ before: Bitmap, _ after: Bitmap, _ region: PixelRect, transparent: P, isOpaque: (P) -> Bool
    ) throws(ImageError) -> Bitmap? {
        var info = after.info
        info.size = region.size
        var result = try MutableBitmap(uninitialized: info)
        var rows = result.mutableRows
        var leavesAny = false
        for y in 0..<region.height {
            let old = before.rows.row(region.y + y, as: P.self)
            let new = after.rows.row(region.y + y, as: P.self)
            var row = rows.row(y, as: P.self)
            for x in 0..<region.width {
                let pixel = new[region.x + x]
                if pixel == old[region.x + x] {
                    leavesAny = true
                    row[x] = transparent
                } else {
                    guard isOpaque(pixel) else { return nil }
                    row[x] = pixel
                }
            }
        }
        return leavesAny ? result.freeze() : nil
    }
}
