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

/// The bytes of a tile before its entropy-coded data: what is the same for all tiles of a JPEG, and where the rest goes.
struct JPEGTileHeader: Sendable {
    private var bytes: [UInt8]
    /// Where the frame's height and width stand.
    private let sizePlace: Int
    /// Where the restart interval stands.
    private let intervalPlace: Int

    /// - Parameters:
    ///   - segments: Bytes of whole segments that go into the header.
    ///   - isComplete: Whether the tables for DC are those with a code for every difference.
    init(_ layout: JPEGTileLayout, segments: [UInt8], isComplete: Bool) {
        bytes = [0xFF, JPEGMarker.startOfImage.rawValue] + layout.colorSegments + segments
        var seen: Set<Int> = []
        for component in layout.components where seen.insert(Int(component.frame.quantizationTable)).inserted {
            Self.append(.quantizationTables, Self.steps(of: component), to: &bytes)
        }
        sizePlace = bytes.count + 5
        let frame: [UInt8] = [8, 0, 0, 0, 0, UInt8(layout.componentCount)]
        Self.append(
            layout.frame.marker,
            frame
                + layout.components.flatMap { component in
                    [
                        component.frame.identifier,
                        component.frame.horizontalSampling << 4 | component.frame.verticalSampling,
                        component.frame.quantizationTable,
                    ]
                }, to: &bytes)
        seen = []
        for component in layout.components {
            let (dc, ac) = (component.scan.dcTable, component.scan.acTable)
            if seen.insert(Int(dc)).inserted {
                let table = isComplete ? JPEGDifferenceCodes.complete : component.dc
                Self.append(.huffmanTables, [dc] + table.counts + table.symbols, to: &bytes)
            }
            if seen.insert(16 + Int(ac)).inserted {
                Self.append(.huffmanTables, [16 | ac] + component.ac.counts + component.ac.symbols, to: &bytes)
            }
        }
        intervalPlace = bytes.count + 4
        Self.append(.restartInterval, [0, 0], to: &bytes)
        let scan = layout.components.flatMap { [$0.scan.identifier, $0.scan.dcTable << 4 | $0.scan.acTable] }
        Self.append(.startOfScan, [UInt8(layout.componentCount)] + scan + [0, 63, 0], to: &bytes)
    }

    /// Appends the header of a window that lies inside.
    func append(_ window: JPEGTileWindow, of layout: JPEGTileLayout, to output: inout [UInt8]) {
        append(
            width: layout.x(of: window).count, height: layout.y(of: window).count,
            restartInterval: layout.mcus(of: window).count, to: &output)
    }

    /// Appends the header of a picture of the given size; the numbers have 16 bits.
    func append(width: Int, height: Int, restartInterval: Int, to output: inout [UInt8]) {
        let start = output.count
        output += bytes
        for (place, number) in [(sizePlace, height), (sizePlace + 2, width), (intervalPlace, restartInterval)] {
            output[start + place] = UInt8(number >> 8)
            output[start + place + 1] = UInt8(number & 0xFF)
        }
    }

    /// Payloads here are far shorter than the 65 533 bytes that there can be.
    private static func append(_ marker: JPEGMarker, _ payload: [UInt8], to bytes: inout [UInt8]) {
        let length = payload.count + 2
        bytes += [0xFF, marker.rawValue, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
    }

    /// A table as a DQT segment has it, of bytes where they will do.
    private static func steps(of component: JPEGTileLayout.Component) -> [UInt8] {
        let number = component.frame.quantizationTable
        if component.steps.allSatisfy({ $0 <= 255 }) { return [number] + component.steps.map(UInt8.init) }
        return [16 | number] + component.steps.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
