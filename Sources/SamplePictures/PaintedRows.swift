internal import Raster

/// Paints the rows of an image in order.
protocol RowPainter {
    /// Fills row `y`. Called once for each row, from the top.
    mutating func paint(_ row: inout MutableSpan<RGBA8>, y: Int)
}

/// An image whose rows are painted when they are read.
final class PaintedRows<Painter: RowPainter>: RowSource {
    let info: BitmapInfo
    private var painter: Painter
    private var next = 0

    init(_ info: BitmapInfo, painter: Painter) {
        self.info = info
        self.painter = painter
    }

    func read(into rows: inout MutablePixelRows) -> Int {
        let count = min(rows.count, info.size.height - next)
        for index in 0..<count {
            var row = rows.row(index, as: RGBA8.self)
            painter.paint(&row, y: next + index)
        }
        next += count
        return count
    }
}
