internal import Tessera

/// Where the cells of a contact sheet are.
struct SheetLayout: Sendable {
    /// The number of pictures.
    let count: Int
    /// The number of cells in a row.
    let columnCount: Int
    /// The size in which each picture must fit.
    let cell: PixelSize
    /// The space between cells and around them.
    let gap: Int
    /// The height of a caption, 0 for none.
    let captionHeight: Int

    init(count: Int, columns: Int, cell: PixelSize, gap: Int, hasCaptions: Bool) {
        (self.count, self.cell, self.gap) = (count, cell, gap)
        columnCount = min(columns, count)
        captionHeight = hasCaptions ? 24 : 0
    }

    var rowCount: Int { (count + columnCount - 1) / columnCount }

    /// The height of a row of cells with their captions and the space below.
    var rowHeight: Int { cell.height + captionHeight + gap }

    /// The size of the sheet.
    var size: PixelSize {
        PixelSize(width: columnCount * (cell.width + gap) + gap, height: rowCount * rowHeight + gap)
    }

    /// The left edge of a column.
    func left(ofColumn column: Int) -> Int { gap + column * (cell.width + gap) }

    /// The pictures of a row.
    func pictures(inRow row: Int) -> Range<Int> { row * columnCount..<min(count, (row + 1) * columnCount) }
}
