#if JPEGXL
import ImageFormats
import Raster

/// Drives one decoding session the way a caller would, and keeps what it says.
struct JPEGXLSession {
    var header: ImageHeader?
    var info: BitmapInfo?
    /// The picture as it was left; rows that never came are 0.
    var bitmap: Bitmap?
    /// Rows delivered in the last pass begun.
    var rows = 0
    /// The picture as each pass but the last left it.
    var passes: [[UInt8]] = []
    /// Bytes that were appended before the first row.
    var byteCountOfFirstRow: Int?
    var isComplete = false
    var error: ImageError?

    /// Appends `bytes` in pieces that end at `splits`, reading in between as far as rows come.
    init(
        _ bytes: [UInt8], splits: [Int] = [], plan: DecodingPlan = .full, delivery: PassDelivery = .last,
        options: DecodingOptions = DecodingOptions(color: .asStored)
    ) {
        var target: MutableBitmap?
        do throws(ImageError) {
            let decoder = try JPEGXLCodec().makeDecoder(for: FormatProbe(whole: bytes.span.bytes), options: options)
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
                guard decoder.header != nil, !isComplete else { continue }
                if target == nil {
                    let described = try decoder.start(plan, delivery: delivery)
                    info = described
                    target = try MutableBitmap(described)
                }
                try pull(decoder, into: &target!, byteCount: start)
            }
        } catch {
            self.error = error
        }
        guard let made = target.take() else { return }
        bitmap = made.freeze()
    }

    private mutating func pull(
        _ decoder: any IncrementalDecoder, into target: inout MutableBitmap, byteCount: Int
    ) throws(ImageError) {
        let height = target.info.size.height
        while true {
            // A few at a time, as some callers have it.
            let first = min(rows, height - 1)
            let delivered = try target.withMutableRows(first..<min(height, first + 100)) { (rows) throws(ImageError) in
                try decoder.read(into: &rows)
            }
            switch delivered {
            case .rows(let count):
                rows += count
                byteCountOfFirstRow = byteCountOfFirstRow ?? byteCount
            case .passComplete(let count):
                precondition(rows == height && count == passes.count + 1)
                passes.append(try target.snapshot().tightBytes())
                rows = 0
            case .needMoreData: return
            case .restart: preconditionFailure("a JPEG XL never starts again")
            case .end:
                isComplete = true
                // What follows the picture may say more.
                header = decoder.header
                return
            }
        }
    }
}
#endif
