/// Cuts parts out of a JPEG as separate JPEGs, without decoding: no pixel is changed.
///
/// A tile has a new header and its source's tables. In each row of MCUs the first DC difference of each component is
/// recoded, and all other bits are copied; restart markers separate the rows. If the source's tables have no code for such a
/// difference, the tile gets a complete DC table, and all DC differences are recoded with it.
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
    /// The source's codes for DC, and complete ones.
    private let codes: JPEGDifferenceCodes
    private let completeCodes: JPEGDifferenceCodes

    /// An assembler for tiles of the JPEG with the given layout.
    ///
    /// - Parameter segments: Whole marker segments to insert in each tile after those for its colour space, such as a
    ///   small ICC profile's. They are copied unchanged.
    public init(_ layout: JPEGTileLayout, inserting segments: [UInt8] = []) {
        self.layout = layout
        tables = JPEGBlockTables(layout, shape: nil)
        header = JPEGTileHeader(layout, segments: segments, isComplete: false)
        completeHeader = JPEGTileHeader(layout, segments: segments, isComplete: true)
        codes = JPEGDifferenceCodes(layout.components.map { $0.dc })
        completeCodes = JPEGDifferenceCodes(layout.components.map { _ in JPEGDifferenceCodes.complete })
    }

    /// Appends a window's JPEG to `output`, which is unchanged if the function throws.
    ///
    /// Takes time proportional to the bytes of the window's part.
    /// - Parameters:
    ///   - window: The part of the image.
    ///   - index: An index with the assembler's layout that includes the window's last row.
    ///   - source: Bytes of the file: all, or at least those of the index's ``JPEGTileIndex/byteRange(of:)``.
    ///   - offset: The source's offset in the file.
    ///   - output: The bytes to append to.
    /// - Throws: ``JPEGBitstreamError/Code/windowNotIndexed``, ``JPEGBitstreamError/Code/truncated`` if the source is too
    ///   short, or ``JPEGBitstreamError/Code/invalidEntropyData`` if it doesn't match the index.
    public func append(
        _ window: JPEGTileWindow, of index: JPEGTileIndex, from source: RawSpan, startingAt offset: Int = 0,
        to output: inout [UInt8]
    ) throws(JPEGBitstreamError) {
        try append(
            window, of: index, from: source, rowOffsets: Array(repeating: offset, count: window.rows.count), to: &output
        )
    }

    /// Appends a window's JPEG, as above, with the bytes of its rows anywhere in `source`.
    ///
    /// Rows of a wide image are far apart in the file: with this form they can be read one by one, without the bytes between.
    /// - Parameter rowOffsets: For each of the window's rows of MCUs, the file offset minus the offset in `source` of the row's
    ///   bytes (the index's ``JPEGTileIndex/byteRange(of:)`` of the row alone).
    /// - Throws: As above.
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
                .invalidEntropyData, "a DC difference is too large for its code", offset: range.lowerBound)
        } catch {
            output.removeLast(output.count - start)
            throw error
        }
    }

    /// Appends a header, the rows and an end; false if there is no code for a difference.
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

/// The bytes of a tile before its entropy-coded data: the part common to all tiles, and the offsets to patch.
struct JPEGTileHeader: Sendable {
    private var bytes: [UInt8]
    /// The offset of the frame's height and width.
    private let sizePlace: Int
    /// The offset of the restart interval.
    private let intervalPlace: Int

    /// - Parameters:
    ///   - segments: Bytes of whole segments that go into the header.
    ///   - isComplete: Whether the DC tables have a code for every difference.
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

    /// Appends the header of a window within the image.
    func append(_ window: JPEGTileWindow, of layout: JPEGTileLayout, to output: inout [UInt8]) {
        append(
            width: layout.x(of: window).count, height: layout.y(of: window).count,
            restartInterval: layout.mcus(of: window).count, to: &output)
    }

    /// Appends the header of an image of the given size, which must fit 16 bits.
    func append(width: Int, height: Int, restartInterval: Int, to output: inout [UInt8]) {
        let start = output.count
        output += bytes
        for (place, number) in [(sizePlace, height), (sizePlace + 2, width), (intervalPlace, restartInterval)] {
            output[start + place] = UInt8(number >> 8)
            output[start + place + 1] = UInt8(number & 0xFF)
        }
    }

    /// Payloads here are far shorter than the limit of 65,533 bytes.
    private static func append(_ marker: JPEGMarker, _ payload: [UInt8], to bytes: inout [UInt8]) {
        let length = payload.count + 2
        bytes += [0xFF, marker.rawValue, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
    }

    /// A table as a DQT segment stores it, in bytes if the values fit.
    private static func steps(of component: JPEGTileLayout.Component) -> [UInt8] {
        let number = component.frame.quantizationTable
        if component.steps.allSatisfy({ $0 <= 255 }) { return [number] + component.steps.map(UInt8.init) }
        return [16 | number] + component.steps.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
