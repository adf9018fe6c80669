/// Puts parts of a JPEG together as JPEGs of their own, without decoding: no pixel is changed.
///
/// A tile has a header of its own and the tables of its source. Of each row of MCUs the first DC difference of each component is
/// coded anew, and all other bits are copied; restart markers keep the rows apart. Where the source's tables have no code for such a
/// difference, the tile gets a complete table for DC, and all DC differences are coded anew with it.
///
/// ```swift
/// let assembler = JPEGTileAssembler(index.layout)
/// if let window = index.layout.window(x: 512..<768, y: 256..<512) {
///     try assembler.append(window, of: index, from: file, to: &tile)
/// }
/// ```
public struct JPEGTileAssembler: Sendable {
    let layout: JPEGTileLayout
    let tables: JPEGBlockTables
    private let header: JPEGTileHeader
    private let completeHeader: JPEGTileHeader
    /// The codes for DC that the source has, and complete ones.
    private let codes: JPEGDifferenceCodes
    private let completeCodes: JPEGDifferenceCodes

    /// An assembler for tiles of the JPEG with the given layout.
    ///
    /// - Parameter segments: Whole marker segments that each tile gets behind those that say its colour space, such as the
    ///   ones of a small ICC profile. They are copied as they are.
    public init(_ layout: JPEGTileLayout, inserting segments: [UInt8] = []) {
        self.layout = layout
        tables = JPEGBlockTables(layout, shape: nil)
        header = JPEGTileHeader(layout, segments: segments, isComplete: false)
        completeHeader = JPEGTileHeader(layout, segments: segments, isComplete: true)
        codes = JPEGDifferenceCodes(layout.components.map(\.dc))
        completeCodes = JPEGDifferenceCodes(layout.components.map { _ in JPEGDifferenceCodes.complete })
    }

    /// Appends a window's JPEG to the bytes at hand, which stay as they are where it can't be had.
    ///
    /// Takes time proportional to the window's part of the bytes.
    /// - Parameters:
    ///   - window: What part of the picture.
    ///   - index: An index of the assembler's layout that reaches down to the window's last row.
    ///   - source: Bytes of the file: all, or those of the index's ``JPEGTileIndex/byteRange(of:)`` at least.
    ///   - offset: Where in the file the source begins.
    ///   - output: What to append to.
    /// - Throws: ``JPEGBitstreamError/Code/windowNotIndexed``, ``JPEGBitstreamError/Code/truncated`` where the source doesn't
    ///   reach, or ``JPEGBitstreamError/Code/invalidEntropyData`` where it isn't what was indexed.
    public func append(
        _ window: JPEGTileWindow, of index: JPEGTileIndex, from source: RawSpan, startingAt offset: Int = 0,
        to output: inout [UInt8]
    ) throws(JPEGBitstreamError) {
        try append(
            window, of: index, from: source, rowOffsets: Array(repeating: offset, count: window.rows.count), to: &output
        )
    }

    /// Appends a window's JPEG, as the other one does, from the bytes of its rows wherever they lie in `source`.
    ///
    /// Rows of a wide picture are far apart in the file: so they can be read one behind the other, and nothing between them.
    /// - Parameter rowOffsets: For each of the window's rows of MCUs, where in the file a source would begin that has the row's
    ///   bytes (the index's ``JPEGTileIndex/byteRange(of:)`` of the row alone) where this one has them.
    /// - Throws: As the other one.
    public func append(
        _ window: JPEGTileWindow, of index: JPEGTileIndex, from source: RawSpan, rowOffsets: [Int],
        to output: inout [UInt8]
    ) throws(JPEGBitstreamError) {
        guard index.layout == layout, let range = index.byteRange(of: window), rowOffsets.count == window.rows.count
        else {
            throw JPEGBitstreamError(.windowNotIndexed, "the window isn't indexed", offset: layout.dataOffset)
        }
        let start = output.count
        do throws(JPEGBitstreamError) {
            let rows = JPEGTileRows(self, index, window, source, rowOffsets)
            guard try !appendRows(rows, header, codes, isComplete: false, to: &output) else { return }
            output.removeLast(output.count - start)
            guard try !appendRows(rows, completeHeader, completeCodes, isComplete: true, to: &output) else { return }
            throw JPEGBitstreamError(
                .invalidEntropyData, "a DC difference is more than there are codes for", offset: range.lowerBound)
        } catch {
            output.removeLast(output.count - start)
            throw error
        }
    }

    /// Appends a header, the rows and an end; false where there is no code for a difference.
    private func appendRows(
        _ rows: borrowing JPEGTileRows, _ header: JPEGTileHeader, _ codes: JPEGDifferenceCodes, isComplete: Bool,
        to output: inout [UInt8]
    ) throws(JPEGBitstreamError) -> Bool {
        header.append(rows.window, of: layout, to: &output)
        let dataStart = output.count
        output.append(contentsOf: repeatElement(0, count: try rows.byteLimit(isComplete: isComplete)))
        var bytes = output.mutableSpan
        guard let end = try rows.write(to: bytes.mutableBytes, from: dataStart, with: codes, isComplete: isComplete)
        else { return false }
        output.removeLast(output.count - end)
        return true
    }
}
