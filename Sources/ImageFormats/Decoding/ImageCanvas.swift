internal import Raster

/// The picture so far: rows as a session delivers them, converted as they come, turned when they are asked for.
final class ImageCanvas {
    private var bitmap: MutableBitmap
    private var converter: ColorConverter?
    private let orientation: Orientation
    private let options: DecodingOptions
    private var nextRow = 0
    private var hasPixels = false
    private(set) var isComplete = false

    init(_ stored: BitmapInfo, orientation: Orientation, options: DecodingOptions) throws(ImageError) {
        self.orientation = orientation
        self.options = options
        converter = options.color == .sRGB ? try ColorConverter(from: stored) : nil
        bitmap = try Self.blank(stored)
    }

    /// Rows that nobody has decoded yet: transparent, or black where there is no alpha.
    private static func blank(_ info: BitmapInfo) throws(ImageError) -> MutableBitmap {
        var bitmap = try MutableBitmap(info)
        guard !info.alpha.hasAlpha, !info.format.isGray else { return bitmap }
        var rows = bitmap.mutableRows
        for y in 0..<rows.count {
            if info.format == .rgba8 {
                var row = rows.row(y, as: RGBA8.self)
                for x in row.indices { row[x] = RGBA8(0, 0, 0) }
            } else {
                var row = rows.row(y, as: RGBA16.self)
                for x in row.indices { row[x] = RGBA16(0, 0, 0) }
            }
        }
        return bitmap
    }

    /// Pulls as many rows as the session can make now.
    func fill(
        from decoder: any IncrementalDecoder, events: inout [DecodingEvent]
    ) throws(ImageError) {
        let firstRow = nextRow
        let height = bitmap.info.size.height
        defer { if nextRow > firstRow { events.append(.rows(upTo: nextRow)) } }
        while !isComplete {
            let start = nextRow
            let (converter, range) = (converter, min(start, height - 1)..<height)
            let delivery = try bitmap.withMutableRows(range) { (rows) throws(ImageError) -> RowDelivery in
                let delivery = try decoder.read(into: &rows)
                if case .rows(let count) = delivery, let converter {
                    var filled = rows.extracting(0..<count)
                    converter.convert(&filled)
                }
                return delivery
            }
            switch delivery {
            case .rows(let count):
                nextRow = start + count
                hasPixels = true
            case .passComplete(let count):
                events.append(.rows(upTo: nextRow))
                events.append(.pass(count))
                nextRow = 0
                return try fill(from: decoder, events: &events)
            case .restart(let info):
                bitmap = try Self.blank(info)
                self.converter = options.color == .sRGB ? try ColorConverter(from: info) : nil
                nextRow = 0
                return try fill(from: decoder, events: &events)
            case .needMoreData:
                return
            case .end:
                isComplete = true
            }
        }
    }

    /// The picture as it is, upright, without a copy where it needn't be turned; nil before the first row.
    ///
    /// Ends the canvas: what it holds afterwards is of no use.
    func finished() throws(ImageError) -> Bitmap? {
        guard hasPixels else { return nil }
        let info = converter?.info ?? bitmap.info
        var done = try MutableBitmap(BitmapInfo(size: PixelSize(width: 1, height: 1), format: .gray8))
        swap(&done, &bitmap)
        return try done.freeze().withMeaning(alpha: info.alpha, profile: info.profile).oriented(by: orientation)
    }

    /// A copy of the picture so far, upright; nil before the first row.
    func snapshot() throws(ImageError) -> Bitmap? {
        guard hasPixels else { return nil }
        let copy = try bitmap.snapshot()
        let info = converter?.info ?? copy.info
        return try copy.withMeaning(alpha: info.alpha, profile: info.profile).oriented(by: orientation)
    }
}
