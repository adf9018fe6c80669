internal import Raster

/// Keeps rows as they are stored, and writes them from the last one up at the end.
final class BMPEncoder: RowSink {
    private let writer: BMPWriter
    private let output: any ByteSink
    private var packed: [UInt8] = []
    private var awaited: AwaitedRows

    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try options.validate()
        writer = try BMPWriter(info, metadata: options.metadata)
        awaited = AwaitedRows(info, in: .bmp)
        self.output = output
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try awaited.check(rows)
        for y in 0..<rows.count { writer.pack(rows.row(y, as: RGBA8.self), into: &packed) }
        awaited.count -= rows.count
    }

    func finish() throws(ImageError) {
        try awaited.checkNone()
        try output.write(writer.head)
        let bytes = packed
        for y in (0..<(bytes.count / writer.rowByteCount)).reversed() {
            try output.write(bytes.span.bytes.extracting((y * writer.rowByteCount)..<((y + 1) * writer.rowByteCount)))
        }
        try output.write(writer.tail)
    }
}
