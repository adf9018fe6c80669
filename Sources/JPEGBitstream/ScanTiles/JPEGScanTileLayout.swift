/// The layout of a JPEG of several scans, such as a progressive one, in MCUs, and the columns of MCUs by which it is indexed.
///
/// Its parts become JPEGs of one scan with the same coefficients, whose layout is ``tile``.
package struct JPEGScanTileLayout: Sendable {
    /// The layout of the JPEG as its parts have it; `dataOffset` is the first scan's.
    package let tile: JPEGTileLayout
    /// A JPEG's first bytes with the frame, tables and scans, whose data is missing: from these the layout is restored.
    package var header: [UInt8] { headers.bytes }

    let headers: JPEGScanHeaders
    let script: JPEGScanScript

    /// - Throws: ``JPEGBitstreamError`` for scans that contradict the frame or each other.
    init(_ headers: JPEGScanHeaders, columnWidth: Int, dataOffset: Int) throws(JPEGBitstreamError) {
        let script = try headers.script()
        let structure = JPEGStructure(of: headers.bytes.span.bytes)
        guard let frame = structure.frame else {
            throw JPEGBitstreamError(.invalidFrame, "the JPEG has no frame", offset: 0)
        }
        self.headers = headers
        self.script = script
        tile = JPEGTileLayout(
            script, frame, colorSegments: JPEGTileLayout.colorSegments(of: structure, in: headers.bytes.span.bytes),
            columnWidth: columnWidth, dataOffset: dataOffset)
    }

    /// Restores a layout from its ``header``, the MCUs in a column of the index, and the first scan's data's offset in the file.
    /// - Throws: ``JPEGTileObstacle`` if the header isn't that of such a JPEG.
    package init(header: RawSpan, mcusPerColumn: Int, dataOffset: Int) throws(JPEGTileObstacle) {
        let headers = try JPEGScanHeaders(header, hasData: false)
        do throws(JPEGBitstreamError) {
            let layout = try JPEGScanTileLayout(headers, columnWidth: 8, dataOffset: dataOffset)
            self = try JPEGScanTileLayout(
                headers, columnWidth: min(max(1, mcusPerColumn), layout.tile.mcusAcross) * layout.tile.mcuWidth,
                dataOffset: dataOffset)
        } catch {
            throw .damagedHeader(error)
        }
    }

    // MARK: Lines and columns

    /// The number of lines that a scan has in each row of MCUs, the last row included: of blocks in a scan of one component, else
    /// of MCUs.
    func lineCount(_ cursor: JPEGScanCursor) -> Int {
        cursor.members.count == 1 ? script.layout.components[cursor.members[0].component].down : 1
    }

    /// The units that a scan has in columns of a line; none in a line beyond the image.
    func units(_ cursor: JPEGScanCursor, row: Int, line: Int, columns: Range<Int>) -> Range<Int> {
        let mcus =
            columns.lowerBound * tile.mcusPerColumn..<min(columns.upperBound * tile.mcusPerColumn, tile.mcusAcross)
        guard cursor.members.count == 1 else { return mcus }
        let component = script.layout.components[cursor.members[0].component]
        let first = min(mcus.lowerBound * component.across, component.blocksAcross)
        guard row * component.down + line < component.blocksDown else { return first..<first }
        return first..<max(first, min(mcus.upperBound * component.across, component.blocksAcross))
    }

    /// The number of units that a scan has before one of a line, for restart markers.
    func unitCount(_ cursor: JPEGScanCursor, row: Int, line: Int, before unit: Int) -> Int {
        guard cursor.members.count == 1 else { return row * tile.mcusAcross + unit }
        let component = script.layout.components[cursor.members[0].component]
        return min(row * component.down + line, component.blocksDown) * component.blocksAcross + unit
    }

    /// The first unit of a column.
    func origin(_ cursor: JPEGScanCursor, column: Int) -> Int {
        let mcu = column * tile.mcusPerColumn
        return cursor.members.count == 1 ? mcu * script.layout.components[cursor.members[0].component].across : mcu
    }
}

extension JPEGTileLayout {
    /// The layout of the JPEG of one scan that has the coefficients of several.
    fileprivate init(
        _ script: JPEGScanScript, _ frame: JPEGFrame, colorSegments: [UInt8], columnWidth: Int, dataOffset: Int
    ) {
        var components: [Component] = []
        let steps = script.steps.map { steps in
            (0..<64).map { steps[Int(JPEGCoefficientReader.naturalOrder[$0])] }
        }
        for (index, component) in frame.components.enumerated() {
            // A table may have been replaced between two components' scans.
            let table = UInt8(steps.firstIndex { $0 == steps[index] } ?? index)
            let layout = script.layout.components[index]
            components.append(
                Component(
                    across: layout.across, down: layout.down,
                    frame: JPEGFrame.Component(
                        identifier: component.identifier, horizontalSampling: component.horizontalSampling,
                        verticalSampling: component.verticalSampling, quantizationTable: table),
                    scan: JPEGScan.Component(identifier: component.identifier, dcTable: 0, acTable: 0),
                    dc: JPEGDifferenceCodes.complete, ac: JPEGCoefficientCodes.complete, steps: steps[index]))
        }
        let isByteSized = steps.allSatisfy { $0.allSatisfy { $0 <= 255 } }
        self.frame = JPEGFrame(
            marker: .startOfFrame(isByteSized ? 0 : 1), precision: 8, width: frame.width, height: frame.height,
            components: components.map { $0.frame })
        self.components = components
        self.colorSegments = colorSegments
        mcuWidth = 8 * script.layout.horizontalSampling
        mcuHeight = 8 * script.layout.verticalSampling
        mcusAcross = script.layout.mcusAcross
        mcusDown = script.layout.mcusDown
        mcusPerColumn = min((max(columnWidth, 1) - 1) / mcuWidth + 1, mcusAcross)
        restartInterval = 0
        self.dataOffset = dataOffset
    }
}
