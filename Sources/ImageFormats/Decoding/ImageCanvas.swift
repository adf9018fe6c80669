package import Raster

/// The image decoded so far. Rows are converted as a decoder delivers them, and oriented when the image is requested.
final class ImageCanvas {
    private var bitmap: MutableBitmap
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
        bitmap = try MutableBitmap(uninitialized: planned.delivered)
    }

    /// Reads as many rows as the decoder can deliver now.
    func fill(from decoder: any IncrementalDecoder, events: inout [DecodingEvent]) throws(ImageError) {
        var reportedRow = nextRow
        let height = bitmap.info.size.height
        defer { if nextRow > reportedRow { events.append(.rows(upTo: nextRow)) } }
        while !isComplete {
            // The decoder reports the end of a pass after its last row, and needs room for at least one row then.
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
                        .corrupt, "the \(format) image of \(bitmap.info.size) became one of \(info.size)")
                }
                bitmap = try MutableBitmap(uninitialized: options.delivered(info))
                self.converter = try options.converter(for: info)
                (nextRow, reportedRow, firstBlankRow) = (0, 0, 0)
            case .needMoreData:
                return
            case .end:
                isComplete = true
            }
        }
    }

    /// Returns the image upright, without a copy if its orientation is `up`; nil before the first row.
    ///
    /// The canvas must not be used after this call.
    func finished() throws(ImageError) -> Bitmap? {
        guard firstBlankRow > 0 else { return nil }
        clearBlankRows()
        var done = try MutableBitmap(BitmapInfo(size: PixelSize(width: 1, height: 1), format: .gray8))
        swap(&done, &bitmap)
        return try done.freeze().oriented(by: orientation)
    }

    /// Returns a copy of the image so far, upright; nil before the first row.
    func snapshot() throws(ImageError) -> Bitmap? {
        guard firstBlankRow > 0 else { return nil }
        clearBlankRows()
        return try bitmap.snapshot().oriented(by: orientation)
    }

    /// Makes the rows that aren't decoded yet transparent, or black if there is no alpha.
    ///
    /// Called only when the image is requested, since filling rows takes as long as decoding those of a JPEG.
    private func clearBlankRows() {
        let (alpha, range) = (bitmap.info.alpha, firstBlankRow..<bitmap.info.size.height)
        bitmap.withMutableRows(range) { rows in
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
