import ImageFormats
import Raster

/// Drives one decoding session the way a caller would, and keeps what it says.
struct JPEGSession {
    var header: ImageHeader?
    var info: BitmapInfo?
    /// The rows that came, of one pass or more; nil when there are none.
    var bitmap: Bitmap?
    /// Rows delivered in the last pass begun.
    var rows = 0
    var passes: [Int] = []
    /// The picture as each pass left it.
    var passBitmaps: [Bitmap] = []
    var isComplete = false
    var error: ImageError?

    /// Appends `bytes` in pieces that end at `splits`, reading in between as far as rows come.
    init(
        _ bytes: [UInt8], splits: [Int] = [], plan: DecodingPlan = .full, delivery: PassDelivery = .last,
        options: DecodingOptions = DecodingOptions(color: .asStored)
    ) {
        var target: MutableBitmap?
        do throws(ImageError) {
            let decoder = try JPEGCodec().makeDecoder(for: FormatProbe(whole: bytes.span.bytes), options: options)
            let ends = splits + [bytes.count]
            var start = 0
            for piece in 0...ends.count {
                if piece < ends.count {
                    try decoder.append(bytes.span.bytes.extracting(start..<ends[piece]))
                    start = ends[piece]
                } else {
                    try decoder.finish()
                }
                header = decoder.header
                guard decoder.header != nil else { continue }
                if target == nil {
                    let described = try decoder.start(plan, delivery: delivery)
                    info = described
                    target = try MutableBitmap(described)
                }
                try pull(decoder, into: &target!)
            }
        } catch {
            self.error = error
        }
        guard let made = target.take() else { return }
        let whole = made.freeze()
        let count = passes.isEmpty ? rows : whole.height
        bitmap = count == 0 ? nil : try? whole.cropped(to: PixelRect(x: 0, y: 0, width: whole.width, height: count))
    }

    private mutating func pull(
        _ decoder: any IncrementalDecoder, into target: inout MutableBitmap
    ) throws(ImageError) {
        let height = target.info.size.height
        while true {
            let first = min(rows, height - 1)
            let delivered = try target.withMutableRows(first..<height) { (rows) throws(ImageError) in
                try decoder.read(into: &rows)
            }
            switch delivered {
            case .rows(let count): rows += count
            case .passComplete(let count):
                passes.append(count)
                passBitmaps.append(try target.snapshot())
                rows = 0
            case .needMoreData: return
            case .restart: preconditionFailure("a JPEG never starts again")
            case .end:
                isComplete = true
                return
            }
        }
    }
}
