/// The compact form of an index, in pages of some rows each, for readers that fetch only the rows they need.
///
/// A page lists its rows' entries in order. Each is a variable-length number for the position, less that of the entry
/// before, and one for each component's prediction, less that of the entry before, with the sign in the lowest bit. A page
/// begins with position 0 and predictions 0, so that it can be read alone. Variable-length numbers have seven bits in each
/// byte, the lowest first, and the top bit set in all bytes but the last. An entry takes about 7 bytes.
extension JPEGTileIndex {
    /// The page of the given rows, which must be indexed.
    public func page(_ rows: Range<Int>) -> [UInt8] {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= rowCount)
        var output: [UInt8] = []
        var last = Entry(position: 0, predictions: (0, 0, 0))
        for place in rows.lowerBound * entriesPerRow..<rows.upperBound * entriesPerRow {
            let entry = entries[place]
            output.appendVariable(entry.position - last.position)
            for component in 0..<layout.componentCount {
                let change = Int64(entry.prediction(component) - last.prediction(component))
                output.appendVariable(UInt64(bitPattern: change << 1 ^ change >> 63))
            }
            last = entry
        }
        return output
    }

    /// An index of the given number of rows, of which none can be used before its page is restored.
    ///
    /// Takes 16 bytes for each entry.
    public init(restoring layout: JPEGTileLayout, rowCount: Int) {
        precondition(0...layout.mcusDown ~= rowCount)
        self.init(layout)
        self.rowCount = rowCount
        isStored = true
        // No window has such a position.
        entries = Array(
            repeating: Entry(position: .max, predictions: (0, 0, 0)), count: rowCount * entriesPerRow)
    }

    /// Restores the rows of a page.
    ///
    /// All positions are checked to be in order and in the file. Agreement with the data is checked for each tile that is cut.
    /// - Parameters:
    ///   - page: The page's bytes.
    ///   - rows: The page's rows.
    ///   - byteCount: The indexed file's length in bytes.
    /// - Throws: ``JPEGBitstreamError/Code/invalidIndex``, with the offset in the page. The index is then unchanged.
    public mutating func restore(
        _ page: RawSpan, rows: Range<Int>, byteCount: UInt64
    ) throws(JPEGBitstreamError) {
        guard !rows.isEmpty, rows.lowerBound >= 0, rows.upperBound <= rowCount else {
            throw Self.invalidPage("the index has no rows \(rows.lowerBound) to \(rows.upperBound)", at: 0)
        }
        var restored: [Entry] = []
        restored.reserveCapacity(rows.count * entriesPerRow)
        var reader = JPEGPageReader(page)
        var position = UInt64(0)
        var predictions: InlineArray<3, Int64> = .init(repeating: 0)
        for number in 0..<rows.count * entriesPerRow {
            let start = reader.offset
            let step = try reader.next()
            for component in 0..<layout.componentCount {
                let change = try reader.next()
                // At most 17 bits, so the sum can't overflow.
                guard change <= 1 << 17 else { throw Self.invalidPage("a prediction is too large", at: start) }
                predictions[component] += Int64(change >> 1) ^ -Int64(change & 1)
                guard -32768...32767 ~= predictions[component] else {
                    throw Self.invalidPage("a prediction is too large", at: start)
                }
            }
            let first = number == 0 ? UInt64(layout.dataOffset) * 8 : position
            let (sum, overflows) = position.addingReportingOverflow(step)
            guard !overflows, sum >= first, sum / 8 <= byteCount else {
                throw Self.invalidPage("an entry of the index is outside the file", at: start)
            }
            position = sum
            let entry = Entry(
                position: position,
                predictions: (
                    Int16(truncatingIfNeeded: predictions[0]), Int16(truncatingIfNeeded: predictions[1]),
                    Int16(truncatingIfNeeded: predictions[2])
                ))
            restored.append(entry)
        }
        guard reader.offset == page.byteCount else {
            throw Self.invalidPage("the page has more bytes than entries", at: reader.offset)
        }
        let place = rows.lowerBound * entriesPerRow
        for number in restored.indices { entries[place + number] = restored[number] }
    }

    private static func invalidPage(_ message: String, at offset: Int) -> JPEGBitstreamError {
        JPEGBitstreamError(.invalidIndex, message, offset: offset)
    }
}

extension JPEGTileLayout {
    /// A JPEG's first bytes with this layout's frame, tables and colour space, but no other segments: the header from which
    /// ``init(header:mcusPerColumn:dataOffset:)`` restores the layout.
    public var header: [UInt8] {
        var bytes: [UInt8] = []
        JPEGTileHeader(self, segments: [], isComplete: false).append(
            width: width, height: height, restartInterval: restartInterval, to: &bytes)
        return bytes
    }

    /// Restores a layout from its ``header``, the MCUs in a column of the index, and the data's offset in the file.
    /// - Throws: ``JPEGTileObstacle`` if the header isn't that of a JPEG that can be tiled.
    public init(header: RawSpan, mcusPerColumn: Int, dataOffset: Int) throws(JPEGTileObstacle) {
        var layout = try JPEGTileLayout(header: header, columnWidth: 8)
        if mcusPerColumn > 1 {
            layout = try JPEGTileLayout(
                header: header, columnWidth: min(mcusPerColumn, layout.mcusAcross) * layout.mcuWidth)
        }
        layout.dataOffset = dataOffset
        self = layout
    }

    /// Whether the components are red, green and blue, decided as libjpeg does: by the JFIF segment, the Adobe segment, and the
    /// components' identifiers.
    package var storesRGB: Bool {
        guard componentCount == 3, !colorSegments.span.bytes.starts(with: [0xFF, 0xE0], in: 0..<colorSegments.count)
        else { return false }
        // The Adobe segment's last byte is its transform.
        if let transform = colorSegments.last { return transform == 0 }
        return components.map { $0.frame.identifier } == Array("RGB".utf8)
    }
}
