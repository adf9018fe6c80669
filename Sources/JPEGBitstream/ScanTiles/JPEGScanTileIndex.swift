/// The positions in a JPEG of several scans at which each scan has each column of each line begin: of lines of MCUs, or of blocks
/// in a scan of one component.
///
/// It is made of pages, each of some rows of MCUs and some columns, which can be restored one by one. A page lists, for each of its
/// rows and scan after scan, the states of each line at the start of each column and at the end of the last. A state is a
/// variable-length number for the position, less that of the state before, and what the scan carries along: the predictions for DC,
/// less those of the state before in the same scan, with the sign in the lowest bit; or the blocks left of an end-of-block run.
/// Numbers have the form of ``JPEGTileIndex/page(_:)``. A state takes about 3 bytes.
package struct JPEGScanTileIndex: Sendable {
    /// Columns in a page, unless its maker chooses others.
    package static let usualColumnsPerPage = 8

    package let layout: JPEGScanTileLayout
    package let rowsPerPage: Int
    package let columnsPerPage: Int

    /// Each page's states; none before it is restored.
    private var pages: [[JPEGScanState]]
    /// For each scan its first state in a page of one row, in lines, and the lines of all.
    private let firstLines: [Int]
    private let linesPerRow: Int

    /// The numbers of columns and rows of pages.
    private var pagesAcross: Int { (layout.tile.columnCount - 1) / columnsPerPage + 1 }
    private var pagesDown: Int { (layout.tile.mcusDown - 1) / rowsPerPage + 1 }

    /// An index without pages. Both numbers are at least 1.
    package init(restoring layout: JPEGScanTileLayout, rowsPerPage: Int, columnsPerPage: Int) {
        self.layout = layout
        self.rowsPerPage = rowsPerPage
        self.columnsPerPage = columnsPerPage
        var (firstLines, count) = ([Int](), 0)
        for cursor in layout.script.cursors {
            firstLines.append(count)
            count += layout.lineCount(cursor)
        }
        self.firstLines = firstLines
        linesPerRow = count
        pages = []
        pages = Array(repeating: [], count: pagesAcross * pagesDown)
    }

    /// Restores the page that begins at a row and a column.
    ///
    /// All positions are checked to be in order and in the file. Agreement with the data is checked for each part that is cut.
    /// - Throws: ``JPEGBitstreamError/Code/invalidIndex``, with the offset in the page.
    package mutating func restore(
        _ page: RawSpan, row: Int, column: Int, byteCount: UInt64
    ) throws(JPEGBitstreamError) {
        let (tile, script) = (layout.tile, layout.script)
        guard row >= 0, column >= 0, row < tile.mcusDown, column < tile.columnCount, row % rowsPerPage == 0,
            column % columnsPerPage == 0
        else { throw Self.invalid("the index has no page at row \(row) and column \(column)", at: 0) }
        let rowCount = min(rowsPerPage, tile.mcusDown - row)
        let columnCount = min(columnsPerPage, tile.columnCount - column)
        // Each state has a byte at least. The product may exceed an Int of 32 bits, but not one of 64.
        guard Int64(rowCount * linesPerRow) &* Int64(columnCount + 1) <= Int64(page.byteCount) else {
            throw Self.invalid("the page is truncated", at: page.byteCount)
        }
        let stateCount = rowCount * linesPerRow * (columnCount + 1)
        var states = [JPEGScanState](repeating: JPEGScanState(position: 0, carry: 0), count: stateCount)
        var reader = JPEGPageReader(page)
        var last = UInt64(tile.dataOffset) * 8
        for (scan, cursor) in script.cursors.enumerated() {
            var carry: UInt64 = 0
            let lineCount = layout.lineCount(cursor)
            for row in 0..<rowCount {
                let place = (row * linesPerRow + firstLines[scan]) * (columnCount + 1)
                for number in place..<(place + lineCount * (columnCount + 1)) {
                    let start = reader.offset
                    let (sum, overflows) = last.addingReportingOverflow(try reader.next())
                    guard !overflows, sum / 8 <= byteCount else {
                        throw Self.invalid("an entry of the index is outside the file", at: start)
                    }
                    last = sum
                    carry = try Self.carry(after: carry, cursor, &reader)
                    states[number] = JPEGScanState(position: sum, carry: carry)
                }
            }
        }
        guard reader.offset == page.byteCount else {
            throw Self.invalid("the page has more bytes than entries", at: reader.offset)
        }
        pages[row / rowsPerPage * pagesAcross + column / columnsPerPage] = states
    }

    private static func carry(
        after last: UInt64, _ cursor: JPEGScanCursor, _ reader: inout JPEGPageReader
    ) throws(JPEGBitstreamError) -> UInt64 {
        if !cursor.isNeeded { return cursor.holdsDetail ? try reader.next() : 0 }
        var carry: UInt64 = 0
        for member in cursor.members.indices {
            let change = try reader.next()
            let prediction = Int16(truncatingIfNeeded: last >> UInt64(16 * member))
            // Predictions have 16 bits, and so has their sum.
            let sum = prediction &+ Int16(truncatingIfNeeded: Int64(change >> 1) ^ -Int64(change & 1))
            carry |= UInt64(UInt16(bitPattern: sum)) << UInt64(16 * member)
        }
        return carry
    }

    /// The page of the given rows and columns of complete states: for each scan those of each line, `columnCount + 1` a line.
    static func page(
        _ layout: JPEGScanTileLayout, _ states: [JPEGScanStateList], rows: Range<Int>, columns: Range<Int>
    ) -> [UInt8] {
        var output: [UInt8] = []
        let stride = layout.tile.columnCount + 1
        var last = UInt64(layout.tile.dataOffset) * 8
        for (scan, cursor) in layout.script.cursors.enumerated() {
            var carry: UInt64 = 0
            let lineCount = layout.lineCount(cursor)
            for line in rows.lowerBound * lineCount..<rows.upperBound * lineCount {
                for column in columns.lowerBound...columns.upperBound {
                    let state = states[scan][line * stride + column]
                    output.appendVariable(state.position - last)
                    last = state.position
                    if cursor.isNeeded {
                        for member in cursor.members.indices {
                            let shift = UInt64(16 * member)
                            let change = Int64(
                                Int16(truncatingIfNeeded: state.carry >> shift)
                                    &- Int16(truncatingIfNeeded: carry >> shift))
                            output.appendVariable(UInt64(bitPattern: change << 1 ^ change >> 63))
                        }
                        carry = state.carry
                    } else if cursor.holdsDetail {
                        output.appendVariable(state.carry)
                    }
                }
            }
        }
        return output
    }

    /// The states of a scan at the start and the end of columns of a line; nil if they aren't restored.
    func states(
        scan: Int, row: Int, line: Int, columns: Range<Int>
    ) -> (first: JPEGScanState, end: JPEGScanState)? {
        guard let first = state(scan, row, line, columns.lowerBound, of: columns.lowerBound),
            let end = state(scan, row, line, columns.upperBound, of: columns.upperBound - 1),
            first.position <= end.position
        else { return nil }
        return (first, end)
    }

    /// The state at a column, by the page of another.
    private func state(_ scan: Int, _ row: Int, _ line: Int, _ column: Int, of other: Int) -> JPEGScanState? {
        let pageColumn = other / columnsPerPage
        let states = pages[row / rowsPerPage * pagesAcross + pageColumn]
        guard !states.isEmpty else { return nil }
        let columnCount = min(columnsPerPage, layout.tile.columnCount - pageColumn * columnsPerPage)
        let place = row % rowsPerPage * linesPerRow + firstLines[scan] + line
        return states[place * (columnCount + 1) + column - pageColumn * columnsPerPage]
    }

    private static func invalid(_ message: String, at offset: Int) -> JPEGBitstreamError {
        JPEGBitstreamError(.invalidIndex, message, offset: offset)
    }
}
