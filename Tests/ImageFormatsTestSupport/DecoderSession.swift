package import ImageFormats
package import Raster
import Testing
package import TestSupport

/// Drives one decoding session of a codec the way a caller would, and keeps what it says.
package struct DecoderSession {
    package private(set) var header: ImageHeader?
    /// What rows were said to be like.
    package private(set) var info: BitmapInfo?
    /// The rows that came, all of them once a pass is complete; nil when there are none.
    package private(set) var bitmap: Bitmap?
    /// Rows delivered in the last pass begun.
    package private(set) var rows = 0
    /// Rows after each piece, and after the end.
    package private(set) var progress: [Int] = []
    package private(set) var passes: [Int] = []
    /// The picture as each pass but the last left it.
    package private(set) var passBitmaps: [Bitmap] = []
    /// How many bytes were appended when the first row came; nil when none came before the end.
    package private(set) var firstRowByteCount: Int?
    /// How many bytes were appended when the picture was complete.
    package private(set) var completeByteCount: Int?
    package private(set) var error: ImageError?

    package var isComplete: Bool { completeByteCount != nil }

    /// Appends `bytes` in pieces that end at `splits`, reading in between as far as rows come.
    /// - Parameters:
    ///   - rowCount: How many rows are asked for at a time.
    ///   - isStream: Whether the codec is told that bytes are still to come.
    package init(
        _ codec: any ImageCodec, _ bytes: [UInt8], splits: [Int] = [], plan: DecodingPlan = .full,
        delivery: PassDelivery = .last, options: DecodingOptions = DecodingOptions(color: .asStored),
        rowCount: Int = 100, isStream: Bool = false
    ) {
        var target: MutableBitmap?
        do throws(ImageError) {
            let probe =
                isStream ? FormatProbe(streamPrefix: bytes.span.bytes) : FormatProbe(whole: bytes.span.bytes)
            let decoder = try codec.makeDecoder(for: probe, options: options)
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
                if header != nil {
                    if target == nil {
                        let described = try decoder.start(plan, delivery: delivery)
                        info = described
                        target = try MutableBitmap(described)
                    }
                    let isAtEnd = try pull(decoder, into: &target!, rowCount)
                    if isAtEnd, completeByteCount == nil { completeByteCount = start }
                    let hasRows = rows > 0 || !passes.isEmpty
                    if hasRows, firstRowByteCount == nil, piece < ends.count { firstRowByteCount = start }
                    // What follows the picture may say more.
                    header = decoder.header
                }
                progress.append(rows)
            }
        } catch {
            self.error = error
        }
        guard let made = target.take() else { return }
        let whole = made.freeze()
        let count = passes.isEmpty ? rows : whole.height
        bitmap = count == 0 ? nil : try? whole.cropped(to: PixelRect(x: 0, y: 0, width: whole.width, height: count))
    }

    /// Whether the picture is complete, with the rows that there are.
    private mutating func pull(
        _ decoder: any IncrementalDecoder, into target: inout MutableBitmap, _ rowCount: Int
    ) throws(ImageError) -> Bool {
        let height = target.info.size.height
        while !isComplete {
            let first = min(rows, height - 1)
            let delivered = try target.withMutableRows(first..<min(height, first + rowCount)) {
                (rows) throws(ImageError) in try decoder.read(into: &rows)
            }
            switch delivered {
            case .rows(let count): rows += count
            case .passComplete(let count):
                if rows != height { Issue.record("pass \(count) has \(rows) rows of \(height)") }
                passes.append(count)
                passBitmaps.append(try target.snapshot())
                rows = 0
            case .needMoreData: return false
            case .restart: preconditionFailure("none of the formats starts again")
            case .end: return true
            }
        }
        return true
    }
}

extension DecoderSession {
    /// The pixels that came, row after row.
    package var pixels: [RGBA8] { bitmap?.pixels ?? [] }

    /// Places to cut `count` bytes at, drawn anew for each `round`; every byte by itself in round 0 of a short file.
    package static func splits(of count: Int, round: Int) -> [Int] {
        var random = SeededGenerator(UInt64(count * 8 + round))
        if round == 0 && count < 20000 { return splits(of: count, upTo: 1, using: &random) }
        return splits(of: count, using: &random) { 1 << Int.random(in: 3..<14, using: &$0) }
    }

    /// Places to cut `count` bytes at, into pieces of 1 to `most` bytes.
    package static func splits(of count: Int, upTo most: Int, using random: inout SeededGenerator) -> [Int] {
        splits(of: count, using: &random) { _ in most }
    }

    private static func splits(
        of count: Int, using random: inout SeededGenerator, _ most: (inout SeededGenerator) -> Int
    ) -> [Int] {
        var splits: [Int] = []
        while (splits.last ?? 0) < count - 1 {
            let length = Int.random(in: 1...most(&random), using: &random)
            splits.append(min(count - 1, (splits.last ?? 0) + length))
        }
        return splits
    }
}
