/// The serialized form: little-endian 64-bit numbers; byte strings are padded with zeros to whole numbers:
/// a signature with the version; the file's byte count and modification time; the number of bytes of its hash, and the hash; the
/// number of bytes of a JPEG header with the frame and the tables, and the header; the data's offset; MCUs per column;
/// rows; the offset of the error that ended the index, or −1, and whether it was the end of the bytes; the entries, each a bit
/// position and the predictions, 16 bits each from the lowest; and a checksum of everything before.
extension JPEGTileIndex {
    /// "JPEGTIX" and the version.
    private static let signature: UInt64 = 0x0158_4954_4745_504A

    /// The first number of the serialized form.
    package static let signatureBytes = (0..<8).map { UInt8(truncatingIfNeeded: signature >> UInt64(8 * $0)) }

    /// The serialized index: 16 bytes for each entry, and less than 3 KB more.
    public func serialized(for source: JPEGTileSource) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(entries.count * 16 + 4096)
        output.appendIdentity(Self.signature, source)
        var header: [UInt8] = []
        JPEGTileHeader(layout, segments: [], isComplete: false).append(
            width: layout.width, height: layout.height, restartInterval: layout.restartInterval, to: &header)
        output.appendBytes(header)
        output.appendNumber(UInt64(layout.dataOffset))
        output.appendNumber(UInt64(layout.mcusPerColumn))
        output.appendNumber(UInt64(rowCount))
        output.appendNumber(failure.map { UInt64($0.offset) } ?? .max)
        output.appendNumber(failure?.code == .truncated ? 1 : 0)
        for entry in entries.prefix(rowCount * entriesPerRow) {
            output.appendNumber(entry.position)
            output.appendNumber(
                UInt64(UInt16(bitPattern: entry.predictions.0)) | UInt64(UInt16(bitPattern: entry.predictions.1)) << 16
                    | UInt64(UInt16(bitPattern: entry.predictions.2)) << 32)
        }
        output.appendNumber(JPEGIndexReader.checksum(output.span.bytes))
        return output
    }

    /// Restores a file's serialized index.
    ///
    /// All numbers are validated against each other and against the file's byte count, so that no bytes can make a tile read outside
    /// the file. Agreement with the data is checked for each tile that is cut: that it begins and ends at
    /// MCU boundaries, with the predictions in the index.
    /// - Throws: ``JPEGBitstreamError/Code/invalidIndex``, or ``JPEGBitstreamError/Code/otherSource`` if the file isn't the
    ///   indexed one; the error's offset is that in the serialized bytes.
    public init(serialized bytes: RawSpan, for source: JPEGTileSource) throws(JPEGBitstreamError) {
        var reader = try JPEGIndexReader(bytes, signature: Self.signature, for: source)
        let end = bytes.byteCount - 8
        let headerPlace = reader.offset
        let header = try reader.bytes()
        let (dataOffset, mcusPerColumn) = (try reader.next(), try reader.next())
        guard mcusPerColumn >= 1, mcusPerColumn <= 65536, dataOffset <= UInt64(source.byteCount),
            let narrow = try? JPEGTileLayout(header: header.span.bytes, columnWidth: 8),
            var layout = try? JPEGTileLayout(
                header: header.span.bytes, columnWidth: Int(mcusPerColumn) * narrow.mcuWidth)
        else { throw Self.invalid("the index's JPEG header is invalid", at: headerPlace) }
        layout.dataOffset = Int(dataOffset)
        self.init(layout)
        isStored = true

        let rows = try reader.next()
        let (failureOffset, isTruncated) = (try reader.next(), try reader.next())
        guard rows <= UInt64(layout.mcusDown), end - reader.offset == 16 * Int(rows) * entriesPerRow else {
            throw Self.invalid("the index's number of entries doesn't match its header", at: reader.offset)
        }
        rowCount = Int(rows)
        if let offset = Int(exactly: failureOffset) { fail(isTruncated: isTruncated == 1, at: offset) }
        entries.reserveCapacity(rowCount * entriesPerRow)
        var last = dataOffset * 8
        for _ in 0..<(rowCount * entriesPerRow) {
            let (position, predictions) = (try reader.next(), try reader.next())
            guard last <= position, position <= UInt64(source.byteCount) * 8 else {
                throw Self.invalid("an entry of the index is outside the file", at: reader.offset - 16)
            }
            last = position
            entries.append(
                Entry(
                    position: position,
                    predictions: (
                        Int16(truncatingIfNeeded: predictions), Int16(truncatingIfNeeded: predictions >> 16),
                        Int16(truncatingIfNeeded: predictions >> 32)
                    )))
        }
        try checkRowStarts(at: end - entries.count * 16)
    }

    /// The first row begins with the data, each other one where the previous one ends.
    private func checkRowStarts(at offset: Int) throws(JPEGBitstreamError) {
        for row in 0..<rowCount {
            let start = entry(row: row, column: 0)
            let isSound: Bool
            if row == 0 {
                isSound = start == Entry(position: UInt64(layout.dataOffset) * 8, predictions: (0, 0, 0))
            } else if layout.restartInterval > 0, row * layout.mcusAcross % layout.restartInterval == 0 {
                // After the marker; before it there may be a stuffed zero.
                let last = entry(row: row - 1, column: layout.columnCount).position
                isSound =
                    start == Entry(position: start.position / 8 * 8, predictions: (0, 0, 0))
                    && start.position >= (last + 7) / 8 * 8 + 16
            } else {
                isSound = start == entry(row: row - 1, column: layout.columnCount)
            }
            guard isSound else {
                throw Self.invalid(
                    "a row of the index begins at the wrong position", at: offset + row * entriesPerRow * 16)
            }
        }
    }

    /// A checksum against damage, not forgery.
    package static func checksum(_ bytes: RawSpan) -> UInt64 { JPEGIndexReader.checksum(bytes) }

    private static func invalid(_ message: String, at offset: Int) -> JPEGBitstreamError {
        JPEGIndexReader.invalid(message, at: offset)
    }
}
