internal import Raster

/// Keeps rows as they are stored, and writes them from the last one up at the end.
final class BMPEncoder: RowSink {
    private let writer: BMPWriter
    private let info: BitmapInfo
    private let output: any ByteSink
    private var packed: [UInt8] = []
    private var rowCount = 0

    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try options.validate()
        writer = try BMPWriter(info, metadata: options.metadata)
        self.info = info
        self.output = output
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        guard rows.format == info.format, rows.width == info.size.width, rows.count <= info.size.height - rowCount
        else {
            throw ImageError(.invalidParameter, "rows that don't fit the BMP being written")
        }
        for y in 0..<rows.count { writer.pack(rows.row(y, as: RGBA8.self), into: &packed) }
        rowCount += rows.count
    }

    func finish() throws(ImageError) {
        guard rowCount == info.size.height else {
            throw ImageError(.invalidParameter, "\(info.size.height - rowCount) rows of the BMP were not written")
        }
        try output.write(writer.head)
        let bytes = packed
        for y in stride(from: rowCount - 1, through: 0, by: -1) {
            try output.write(bytes.span.bytes.extracting((y * writer.rowByteCount)..<((y + 1) * writer.rowByteCount)))
        }
        try output.write(writer.tail)
    }
}
