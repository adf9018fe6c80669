internal import Raster

/// Writes rows as C source while they come.
final class XBMEncoder: RowSink {
    private let output: any ByteSink
    private var awaited: AwaitedRows
    /// Bytes on the line being written.
    private var column = 0

    /// Numbers on a line, as X's own programs write them.
    private static let numbersPerLine = 12
    private static let digits = Array("0123456789abcdef".utf8)

    /// - Throws: `invalidParameter` for pixels that aren't grey, or a hot spot outside of the picture.
    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try options.validate()
        guard info.format == .gray8, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "an XBM takes grey pixels of 8 bits")
        }
        self.output = output
        awaited = AwaitedRows(info, in: .xbm)
        var head = "#define image_width \(info.size.width)\n#define image_height \(info.size.height)\n"
        if let hotSpot = options.metadata.hotSpot {
            guard 0..<info.size.width ~= hotSpot.x, 0..<info.size.height ~= hotSpot.y else {
                throw ImageError(
                    .invalidParameter, "the hot spot (\(hotSpot.x), \(hotSpot.y)) lies outside of \(info.size)")
            }
            head += "#define image_x_hot \(hotSpot.x)\n#define image_y_hot \(hotSpot.y)\n"
        }
        try output.write(Array((head + "static unsigned char image_bits[] = {").utf8))
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try awaited.check(rows)
        for y in 0..<rows.count {
            let row = rows.row(y, as: Gray8.self)
            var text: [UInt8] = []
            for start in stride(from: 0, to: row.count, by: 8) {
                var bits: UInt8 = 0
                for x in start..<min(row.count, start + 8) where row[x].value < 128 { bits |= 1 << UInt8(x - start) }
                text += Array((column == 0 ? "\n   " : " ").utf8)
                text += [48, 120, Self.digits[Int(bits >> 4)], Self.digits[Int(bits & 15)]]
                column = (column + 1) % Self.numbersPerLine
                let isLast = awaited.count == 1 && start + 8 >= row.count
                text += Array((isLast ? "};\n" : ",").utf8)
            }
            try output.write(text)
            awaited.count -= 1
        }
    }

    func finish() throws(ImageError) {
        try awaited.checkNone()
    }
}
