package import Raster

/// The image decoded so far. Rows are converted as a decoder delivers them, and oriented when the image is requested.
final class ImageCanvas {
    /// The rows of the current pass; nil between two passes once the earlier one was handed out.
    private var bitmap: MutableBitmap?
    /// The last complete pass that was handed out: its memory isn't written to, so that no copy is made.
    private var shown: Bitmap?
    /// The one before, whose memory serves again if nobody has it by then.
    private var spare: Bitmap?
    /// Whether `bitmap` lacks the rows from the next on, which `shown` has.
    private var needsShownRows = false
    private var info: BitmapInfo
    private var converter: ColorConverter?
    private let orientation: Orientation
    private let options: DecodingOptions
    private let format: ImageFormat
    /// The next row of the current pass.
    private var nextRow = 0
    /// The first row that no pass has delivered; from here on, memory is uninitialized.
    private var firstBlankRow = 0
    private(set) var isComplete = false

    init(_ planned: PlannedDecoding, format: ImageFormat, options: DecodingOptions) throws(ImageError) {
        orientation = planned.orientation
        self.options = options
        self.format = format
        converter = try options.converter(for: planned.stored)
        info = planned.delivered
        bitmap = try MutableBitmap(uninitialized: info)
    }

    /// Reads as many rows as the decoder can deliver now.
    func fill(from decoder: any IncrementalDecoder, events: inout [DecodingEvent]) throws(ImageError) {
        var reportedRow = nextRow
        let height = info.size.height
        defer { if nextRow > reportedRow { events.append(.rows(upTo: nextRow)) } }
        while !isComplete {
            // The decoder reports the end of a pass after its last row, and needs room for at least one row then.
            let (converter, range) = (converter, min(nextRow, height - 1)..<height)
            let left = height - nextRow
            try makeRoom()
            let delivery = try bitmap!.withMutableRows(range) { (rows) throws(ImageError) -> RowDelivery in
                try decoder.read(into: &rows, converting: converter, rowsLeft: left, format: format)
            }
            switch delivery {
            case .rows(let count):
                nextRow += count
                firstBlankRow = max(firstBlankRow, nextRow)
            case .passComplete(let count):
                if nextRow > reportedRow { events.append(.rows(upTo: nextRow)) }
                events.append(.pass(count))
                fillInShownRows()
                (nextRow, reportedRow) = (0, 0)
            case .restart(let info):
                guard info.size == self.info.size else {
                    throw ImageError(
                        .corrupt, "the \(format) image of \(self.info.size) became one of \(info.size)")
                }
                self.info = options.delivered(info)
                bitmap = try MutableBitmap(uninitialized: self.info)
                (shown, spare, needsShownRows) = (nil, nil, false)
                self.converter = try options.converter(for: info)
                (nextRow, reportedRow, firstBlankRow) = (0, 0, 0)
            case .needMoreData:
                return
            case .end:
                isComplete = true
            }
        }
    }

    /// Takes memory for the next pass where the last one was handed out.
    private func makeRoom() throws(ImageError) {
        guard bitmap == nil else { return }
        if let reclaimed = MutableBitmap(reclaiming: &spare) {
            bitmap = consume reclaimed
        } else {
            bitmap = try MutableBitmap(uninitialized: info)
        }
        needsShownRows = true
    }

    /// Copies the rows that the current pass hasn't delivered from the pass before.
    private func fillInShownRows() {
        guard needsShownRows, let shown else { return }
        needsShownRows = false
        let range = nextRow..<info.size.height
        let rest = shown.rows.extracting(range)
        bitmap!.withMutableRows(range) { $0.copy(rest) }
    }

    /// Returns the image upright, without a copy if its orientation is `up`; nil before the first row.
    ///
    /// The canvas must not be used after this call.
    func finished() throws(ImageError) -> Bitmap? {
        guard firstBlankRow > 0 else { return nil }
        if bitmap != nil {
            fillInShownRows()
            clearBlankRows()
        }
        return try (bitmap.take()?.freeze() ?? shown)?.oriented(by: orientation)
    }

    /// Returns the image so far, upright; nil before the first row. A copy unless a pass has just ended.
    func snapshot() throws(ImageError) -> Bitmap? {
        guard firstBlankRow > 0 else { return nil }
        if nextRow == 0, firstBlankRow == info.size.height {
            if !needsShownRows, let pass = bitmap.take() { (shown, spare) = (pass.freeze(), shown) }
            return try shown?.oriented(by: orientation)
        }
        fillInShownRows()
        clearBlankRows()
        return try bitmap?.snapshot().oriented(by: orientation)
    }

    /// Makes the rows that aren't decoded yet transparent, or black if there is no alpha.
    ///
    /// Called only when the image is requested, since filling rows takes as long as decoding those of a JPEG.
    private func clearBlankRows() {
        let (alpha, range) = (info.alpha, firstBlankRow..<info.size.height)
        bitmap!.withMutableRows(range) { rows in
            let all = PixelRect(x: 0, y: 0, width: rows.width, height: rows.count)
            FrameCompositor.clear(all, of: &rows, alpha: alpha)
        }
    }
}

extension DecodingOptions {
    /// Returns the format of rows after conversion, for rows that a decoder delivers as `stored`.
    package func delivered(_ stored: BitmapInfo) -> BitmapInfo {
        color == .sRGB ? stored.converted(for: dynamicRange) : stored
    }

    /// Returns the conversion of rows that a decoder delivers as `stored`; nil if there is nothing to convert.
    /// - Throws: `unsupported` for premultiplied colours, which can't be converted.
    package func converter(for stored: BitmapInfo) throws(ImageError) -> ColorConverter? {
        color == .sRGB ? try ColorConverter(from: stored, for: dynamicRange) : nil
    }

    /// Returns the orientation to apply to the rows of an image with `header`.
    package func appliedOrientation(of header: ImageHeader) -> Orientation {
        appliesOrientation ? header.metadata.orientation : .up
    }
}
