#if WebP
import ImageFormats
import Raster

/// Drives one decoding session the way a caller would, and keeps what it says.
struct WebPSession {
    var header: ImageHeader?
    /// The rows that came; nil when there are none.
    var bitmap: Bitmap?
    var rows = 0
    /// Rows after each piece.
    var progress: [Int] = []
    var isComplete = false
    var error: ImageError?

    /// Appends `bytes` in pieces that end at `splits`, reading in between as far as rows come, `rowCount` at a time.
    init(
        _ bytes: [UInt8], splits: [Int] = [], plan: DecodingPlan = .full, limits: DecodingLimits = .standard,
        rowCount: Int = .max, isStream: Bool = true
    ) {
        var target: MutableBitmap?
        do throws(ImageError) {
            let options = DecodingOptions(color: .asStored, limits: limits)
            let probe =
                isStream ? FormatProbe(streamPrefix: bytes.span.bytes) : FormatProbe(whole: bytes.span.bytes)
            let decoder = try WebPCodec().makeDecoder(for: probe, options: options)
            var start = 0
            for end in splits + [bytes.count, -1] {
                if end >= 0 {
                    try decoder.append(bytes.span.bytes.extracting(start..<end))
                    start = end
                } else {
                    try decoder.finish()
                }
                guard let known = decoder.header else {
                    progress.append(0)
                    continue
                }
                header = known
                if target == nil { target = try MutableBitmap(try decoder.start(plan, delivery: .every)) }
                try pull(decoder, into: &target!, rowCount)
                progress.append(rows)
            }
        } catch {
            self.error = error
        }
        guard let made = target.take() else { return }
        let (whole, count) = (made.freeze(), rows)
        bitmap = count == 0 ? nil : try? whole.cropped(to: PixelRect(x: 0, y: 0, width: whole.width, height: count))
    }

    private mutating func pull(
        _ decoder: any IncrementalDecoder, into target: inout MutableBitmap, _ rowCount: Int
    ) throws(ImageError) {
        let height = target.info.size.height
        while !isComplete {
            let first = min(rows, height - 1)
            let delivered = try target.withMutableRows(first..<min(height, first + min(rowCount, height))) {
                (rows) throws(ImageError) in try decoder.read(into: &rows)
            }
            switch delivered {
            case .rows(let count): rows += count
            case .needMoreData, .passComplete, .restart: return
            case .end: isComplete = true
            }
        }
    }
}

/// Reads all of an animation, the way a caller would.
struct WebPAnimationSession {
    var header: ImageHeader?
    var canvas: BitmapInfo?
    var frames: [AnimationFrame] = []
    var bitmaps: [Bitmap?] = []
    var error: ImageError?

    init(_ bytes: [UInt8], splits: [Int] = [], limits: DecodingLimits = .standard) {
        do throws(ImageError) {
            let decoder = try WebPCodec().makeAnimationDecoder(
                for: FormatProbe(streamPrefix: bytes.span.bytes), options: DecodingOptions(limits: limits))
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
            canvas = try decoder.start()
            bitmaps = frames.indices.map { try? decoder.decodeFrame(at: $0) }
        } catch {
            self.error = error
        }
    }
}
#endif
