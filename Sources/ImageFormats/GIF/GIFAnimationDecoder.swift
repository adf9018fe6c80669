internal import Raster

/// Decodes the frames of a GIF file, each from its own bytes.
final class GIFAnimationDecoder: AnimationDecoder {
    private let options: DecodingOptions
    private var reader: GIFReader
    private var isInputFinished = false
    private var info: BitmapInfo?
    private(set) var header: ImageHeader?
    private(set) var frames: [AnimationFrame] = []

    init(options: DecodingOptions) {
        self.options = options
        reader = GIFReader(keeping: .everyFrame, limits: options.limits)
    }

    func append(_ bytes: RawSpan) throws(ImageError) {
        reader.append(bytes)
        try update()
        if let damage = reader.damage { throw damage }
    }

    func finish() throws(ImageError) {
        isInputFinished = true
        try update()
        if let damage = reader.damage { throw damage }
        guard header != nil, frames.count == reader.frameCount else {
            throw ImageError(
                .truncated, "the GIF file ends within frame \(max(0, reader.frameCount - 1))",
                byteOffset: reader.offset)
        }
    }

    private func update() throws(ImageError) {
        guard let first = reader.frames.first, first.dataOffset > 0, let size = reader.canvasSize else {
            guard reader.isAtEnd else { return }
            throw ImageError(.corrupt, "the GIF file holds no image", byteOffset: reader.offset)
        }
        if header == nil {
            header = try reader.header(first, size, options.limits)
        }
        while frames.count < reader.frames.count, reader.frames[frames.count].isComplete {
            frames.append(Self.shown(reader.frames[frames.count], on: size))
        }
        header?.hasAlpha = mayShowThrough(size)
        header?.sequence = reader.sequence(isInputFinished: isInputFinished)
        header?.metadata.xmp = reader.xmp
    }

    /// The region and blending of a frame on the canvas. A frame outside the canvas becomes a single transparent pixel.
    private static func shown(_ frame: GIFFrame, on size: PixelSize) -> AnimationFrame {
        let duration = Double(frame.control.delay) / 100
        guard let region = frame.region(on: size) else {
            return AnimationFrame(
                region: PixelRect(x: 0, y: 0, width: 1, height: 1), blending: .over, storedDuration: duration)
        }
        return AnimationFrame(
            region: region, blending: frame.control.transparentIndex == nil ? .source : .over,
            disposal: frame.control.disposal, storedDuration: duration)
    }

    /// Whether the canvas can have transparent pixels. While frames are still arriving, assumes that it can.
    private func mayShowThrough(_ size: PixelSize) -> Bool {
        guard reader.isAtEnd || isInputFinished, let first = reader.frames.first,
            first.region(on: size) == PixelRect(size), first.control.transparentIndex == nil
        else { return true }
        // The disposal of the last frame is never visible.
        let disposals = reader.frames.dropLast().map(\.control.disposal)
        return disposals.contains(.background) || disposals.first == .previous
    }

    func start() throws(ImageError) -> BitmapInfo {
        guard let header else { throw ImageError(.invalidParameter, "the GIF header isn't known yet") }
        let info = BitmapInfo(
            size: header.storedSize, format: .rgba8, alpha: header.hasAlpha ? .straight : .none,
            profile: header.profile)
        self.info = info
        return info
    }

    func decodeFrame(at index: Int) throws(ImageError) -> Bitmap {
        guard var info, frames.indices.contains(index) else {
            throw ImageError(.invalidParameter, "the GIF file has no frame \(index) yet")
        }
        let frame = reader.frames[index]
        guard let region = frame.region(on: info.size) else {
            (info.size, info.alpha) = (PixelSize(width: 1, height: 1), .straight)
            return try MutableBitmap(info).freeze()
        }
        // The part of a frame beyond the canvas is unpacked too.
        try options.limits.check(frame.region.size, format: .gif)
        info.size = region.size
        // The canvas may be opaque even if the frame leaves parts of it unchanged.
        if frame.control.transparentIndex != nil { info.alpha = .straight }
        var indices = try GIFIndexReader(frame)
        let painter = GIFRowPainter(
            frame, globalPalette: reader.globalPalette, x: region.x, width: region.width)
        var bitmap = try MutableBitmap(uninitialized: info)
        var rows = bitmap.mutableRows
        for y in frame.rowOrder {
            guard let range = indices.nextRow(frame.data) else {
                throw indices.failure
                    ?? ImageError(.truncated, "the codes of frame \(index) end before its last row")
            }
            guard y < region.height else { continue }
            painter.paint(indices.row, from: range.lowerBound, to: rows.row(y, as: RGBA8.self))
        }
        return bitmap.freeze()
    }
}
