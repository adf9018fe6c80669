import ImageFormats
import Raster

/// Drives one decoding session the way a caller would, and keeps what it says.
struct GIFSession {
    var header: ImageHeader?
    /// The rows that came; nil when there are none.
    var bitmap: Bitmap?
    var rows = 0
    var passes: [Int] = []
    /// The picture as each pass left it.
    var passBitmaps: [Bitmap] = []
    var isComplete = false
    /// How many bytes were there when the picture was complete.
    var byteCount: Int?
    var error: ImageError?

    /// Appends `bytes` in pieces that end at `splits`, reading in between as far as rows come.
    init(
        _ bytes: [UInt8], splits: [Int] = [], plan: DecodingPlan = .full, delivery: PassDelivery = .last,
        limits: DecodingLimits = .standard
    ) {
        var target: MutableBitmap?
        do throws(ImageError) {
            let options = DecodingOptions(color: .asStored, limits: limits)
            let decoder = try GIFCodec().makeDecoder(for: FormatProbe(whole: bytes.span.bytes), options: options)
            var start = 0
            for end in splits + [bytes.count, -1] {
                if end >= 0 {
                    try decoder.append(bytes.span.bytes.extracting(start..<end))
                    start = end
                } else {
                    try decoder.finish()
                }
                guard let known = decoder.header else { continue }
                header = known
                if target == nil { target = try MutableBitmap(try decoder.start(plan, delivery: delivery)) }
                try pull(decoder, into: &target!)
                if isComplete, byteCount == nil { byteCount = start }
            }
        } catch {
            self.error = error
        }
        guard let made = target.take() else { return }
        let whole = made.freeze()
        let count = passes.isEmpty ? rows : whole.height
        bitmap = count == 0 ? nil : try? whole.cropped(to: PixelRect(x: 0, y: 0, width: whole.width, height: count))
    }

    private mutating func pull(_ decoder: any IncrementalDecoder, into target: inout MutableBitmap) throws(ImageError) {
        let height = target.info.size.height
        while !isComplete {
            // Three rows at a time, so that what is read before is kept in between.
            let last = min(height, rows + 3)
            let delivered = try target.withMutableRows(min(rows, height - 1)..<last) { (rows) throws(ImageError) in
                try decoder.read(into: &rows)
            }
            switch delivered {
            case .rows(let count): rows += count
            case .needMoreData: return
            case .passComplete(let count):
                passes.append(count)
                passBitmaps.append(try target.snapshot())
                rows = 0
            case .end: isComplete = true
            case .restart: return
            }
        }
    }

    /// The pixels that came, row after row.
    var pixels: [RGBA8] { bitmap?.pixels ?? [] }
}

extension Bitmap {
    /// The pixels of a bitmap of rgba8, row after row.
    var pixels: [RGBA8] {
        (0..<height).flatMap { y in
            let row = rows.row(y, as: RGBA8.self)
            return row.indices.map { row[$0] }
        }
    }
}

/// An animation's frames put on a canvas, pixel by pixel.
struct GIFAnimation {
    var header: ImageHeader?
    var frames: [AnimationFrame] = []
    var info: BitmapInfo?
    /// Every frame as it is shown.
    var shown: [[RGBA8]] = []
    var error: ImageError?
    /// What was wrong with the first frame that couldn't be decoded.
    var frameError: ImageError?

    init(_ bytes: [UInt8], splits: [Int] = [], limits: DecodingLimits = .standard) {
        let options = DecodingOptions(color: .asStored, limits: limits)
        guard
            let decoder = try? GIFCodec().makeAnimationDecoder(
                for: FormatProbe(whole: bytes.span.bytes), options: options)
        else { return }
        do throws(ImageError) {
            var start = 0
            for end in splits + [bytes.count] {
                try decoder.append(bytes.span.bytes.extracting(start..<end))
                start = end
            }
            try decoder.finish()
        } catch {
            self.error = error
        }
        header = decoder.header
        frames = decoder.frames
        guard header != nil else { return }
        do throws(ImageError) {
            let info = try decoder.start()
            self.info = info
            var canvas = [RGBA8](repeating: RGBA8(0, 0, 0, 0), count: info.size.pixelCount)
            for (index, frame) in frames.enumerated() {
                let before = canvas
                let bitmap = try decoder.decodeFrame(at: index)
                guard bitmap.size == frame.region.size, frame.region.lies(within: info.size) else { return }
                for (offset, pixel) in bitmap.pixels.enumerated() where frame.blending == .source || pixel.alpha > 0 {
                    canvas[Self.place(offset, frame.region, info.size)] = pixel
                }
                shown.append(canvas)
                if frame.disposal == .previous { canvas = before }
                if frame.disposal == .background {
                    for offset in 0..<frame.region.size.pixelCount {
                        canvas[Self.place(offset, frame.region, info.size)] = RGBA8(0, 0, 0, 0)
                    }
                }
            }
        } catch {
            frameError = error
        }
    }

    private static func place(_ offset: Int, _ region: PixelRect, _ size: PixelSize) -> Int {
        (region.y + offset / region.width) * size.width + region.x + offset % region.width
    }
}
