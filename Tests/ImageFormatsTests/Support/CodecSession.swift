import ImageFormats
import Raster

/// Drives one decoding session of a codec the way a caller would, and keeps what it says.
struct CodecSession {
    var header: ImageHeader?
    /// The rows that came, of the last pass begun; nil when there are none.
    var bitmap: Bitmap?
    /// Rows delivered in the last pass begun.
    var rows = 0
    /// How many bytes were appended when the first row came; nil when none came before the end.
    var firstRowByteCount: Int?
    var isComplete = false
    var error: ImageError?

    /// Appends `bytes` in pieces that end at `splits`, reading in between as far as rows come.
    init(
        _ codec: any ImageCodec, _ bytes: [UInt8], splits: [Int] = [], plan: DecodingPlan = .full,
        options: DecodingOptions = DecodingOptions(color: .asStored)
    ) {
        var target: MutableBitmap?
        do throws(ImageError) {
            let decoder = try codec.makeDecoder(for: FormatProbe(whole: bytes.span.bytes), options: options)
            var start = 0
            for end in splits + [bytes.count, -1] {
                if end >= 0 {
                    try decoder.append(bytes.span.bytes.extracting(start..<end))
                    start = end
                } else {
                    try decoder.finish()
                }
                header = decoder.header
                guard decoder.header != nil else { continue }
                if target == nil { target = try MutableBitmap(try decoder.start(plan, delivery: .last)) }
                try pull(decoder, into: &target!)
                if rows > 0, firstRowByteCount == nil, end >= 0 { firstRowByteCount = end }
            }
        } catch {
            self.error = error
        }
        guard let made = target.take(), rows > 0 else { return }
        let whole = made.freeze()
        bitmap = try? whole.cropped(to: PixelRect(x: 0, y: 0, width: whole.width, height: rows))
    }

    private mutating func pull(_ decoder: any IncrementalDecoder, into target: inout MutableBitmap) throws(ImageError) {
        let height = target.info.size.height
        while !isComplete {
            let delivered = try target.withMutableRows(min(rows, height - 1)..<height) { (rows) throws(ImageError) in
                try decoder.read(into: &rows)
            }
            switch delivered {
            case .rows(let count): rows += count
            case .needMoreData, .restart: return
            case .passComplete: rows = 0
            case .end: isComplete = true
            }
        }
    }

    /// Places to cut `count` bytes at, drawn anew for each `round`; every byte by itself in round 0 of a short file.
    static func splits(of count: Int, round: Int) -> [Int] {
        var random = SeededGenerator(UInt64(count * 8 + round))
        var splits: [Int] = []
        while (splits.last ?? 0) < count - 1 {
            let most = round == 0 && count < 20000 ? 1 : 1 << Int.random(in: 3..<14, using: &random)
            splits.append(min(count - 1, (splits.last ?? 0) + Int.random(in: 1...most, using: &random)))
        }
        return splits
    }
}

extension Bitmap {
    /// Every pixel of eight bits, row after row; grey ones with their value in each channel.
    var rgba8: [RGBA8] {
        let bitmap = try! converted(to: .rgba8, alpha: alpha)
        return (0..<height).flatMap { y in
            let row = bitmap.rows.row(y, as: RGBA8.self)
            return row.indices.map { row[$0] }
        }
    }
}
