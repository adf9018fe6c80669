package import Raster

/// The picture so far: rows as a session delivers them, converted as they come, turned when they are asked for.
final class ImageCanvas {
    private var bitmap: MutableBitmap
    private var converter: ColorConverter?
    private let orientation: Orientation
    private let options: DecodingOptions
    private let format: ImageFormat
    /// The row that the current pass delivers next.
    private var nextRow = 0
    /// The rows from here on were delivered by no pass, and hold whatever the memory held.
    private var firstBlankRow = 0
    private(set) var isComplete = false

    init(_ planned: PlannedDecoding, format: ImageFormat, options: DecodingOptions) throws(ImageError) {
        orientation = planned.orientation
        self.options = options
        self.format = format
        converter = options.color == .sRGB ? try ColorConverter(from: planned.stored) : nil
        bitmap = try MutableBitmap(uninitialized: planned.delivered)
    }

    /// Pulls as many rows as the session can make now.
    func fill(from decoder: any IncrementalDecoder, events: inout [DecodingEvent]) throws(ImageError) {
        var reportedRow = nextRow
        let height = bitmap.info.size.height
        defer { if nextRow > reportedRow { events.append(.rows(upTo: nextRow)) } }
        while !isComplete {
            // After its last row the session has still to say that the pass is complete; it is lent a row for that too.
            let (converter, range) = (converter, min(nextRow, height - 1)..<height)
            let left = height - nextRow
            let delivery = try bitmap.withMutableRows(range) { (rows) throws(ImageError) -> RowDelivery in
                try decoder.read(into: &rows, converting: converter, rowsLeft: left, format: format)
            }
            switch delivery {
            case .rows(let count):
                nextRow += count
                firstBlankRow = max(firstBlankRow, nextRow)
            case .passComplete(let count):
                if nextRow > reportedRow { events.append(.rows(upTo: nextRow)) }
                events.append(.pass(count))
                (nextRow, reportedRow) = (0, 0)
            case .restart(let info):
                guard info.size == bitmap.info.size else {
                    throw ImageError(
                        .corrupt, "the \(format) picture of \(bitmap.info.size) became one of \(info.size)")
                }
                bitmap = try MutableBitmap(uninitialized: options.delivered(info))
                self.converter = options.color == .sRGB ? try ColorConverter(from: info) : nil
                (nextRow, reportedRow, firstBlankRow) = (0, 0, 0)
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
        guard firstBlankRow > 0 else { return nil }
        clearBlankRows()
        var done = try MutableBitmap(BitmapInfo(size: PixelSize(width: 1, height: 1), format: .gray8))
        swap(&done, &bitmap)
        return try done.freeze().oriented(by: orientation)
    }

    /// A copy of the picture so far, upright; nil before the first row.
    func snapshot() throws(ImageError) -> Bitmap? {
        guard firstBlankRow > 0 else { return nil }
        clearBlankRows()
        return try bitmap.snapshot().oriented(by: orientation)
    }

    /// Makes rows that nobody has decoded yet transparent, or black where there is no alpha.
    ///
    /// Done only when somebody looks: filling memory that will be filled again costs as much as decoding a JPEG's rows.
    private func clearBlankRows() {
        let (alpha, range) = (bitmap.info.alpha, firstBlankRow..<bitmap.info.size.height)
        bitmap.withMutableRows(range) { rows in
            let all = PixelRect(x: 0, y: 0, width: rows.width, height: rows.count)
            FrameCompositor.clear(all, of: &rows, alpha: alpha)
        }
    }
}

extension DecodingOptions {
    /// What rows that a session delivers as `stored` are once they are converted.
    package func delivered(_ stored: BitmapInfo) -> BitmapInfo {
        color == .sRGB ? stored.inSRGB : stored
    }

    /// How rows of a picture with `header` are turned.
    package func appliedOrientation(of header: ImageHeader) -> Orientation {
        appliesOrientation ? header.metadata.orientation : .up
    }
}
