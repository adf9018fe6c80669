/// Decodes the samples of a lossless JPEG (ITU-T T.81, annex H), a row of the image at a time.
///
/// Components that come in several scans are read in step, so no scan's samples are kept: memory is one row of MCUs of
/// each scan, for an image of any height.
package struct JPEGLosslessDecoder: Sendable {
    /// A component's scan, and its number there.
    private struct Place: Sendable {
        let reader: Int
        let component: Int
        /// The bits by which samples are shifted to the left.
        let pointTransform: UInt16
    }

    /// The components' sizes and the samples' precision.
    package let layout: JPEGLosslessLayout
    /// The rows of the image read so far.
    package private(set) var rowCount = 0

    private var readers: [JPEGLosslessScanReader] = []
    /// The place of each component.
    private let places: [Place]
    /// The last row read: the samples of each component, one for each pixel.
    private var row: [UInt16]

    /// Prepares to decode.
    ///
    /// - Parameters:
    ///   - structure: The structure up to the first scan's data if that scan has all components, else of all of the
    ///     JPEG.
    ///   - bytes: The JPEG from its first byte on, at least up to the last of those scans' data.
    /// - Throws: `invalidFrame`, `invalidScan`, `invalidHuffmanTable`; `truncated` if the bytes end before each component
    ///   has its scan.
    package init(_ structure: JPEGStructure, in bytes: RawSpan) throws(JPEGBitstreamError) {
        let frameOffset = structure.segments.first { $0.marker.isStartOfFrame }?.offset ?? 0
        guard let frame = structure.frame, let height = structure.height else {
            throw JPEGBitstreamError(.invalidFrame, "the JPEG has no frame with a known height", offset: frameOffset)
        }
        layout = try JPEGLosslessLayout(frame, height: height, offset: frameOffset)
        var places = [Place?](repeating: nil, count: frame.components.count)
        for (number, stored) in structure.scans.enumerated() where places.contains(where: { $0 == nil }) {
            var indices: [Int] = []
            for (place, component) in stored.components.enumerated() {
                // Some files give all components the same identifier; they come in the frame's order.
                let index = frame.components.indices.first {
                    places[$0] == nil && frame.components[$0].identifier == component.identifier
                }
                guard let index else {
                    throw JPEGBitstreamError(
                        .invalidScan,
                        "a scan has component \(component.identifier), which isn't in the frame or has had its scan",
                        offset: stored.offset)
                }
                places[index] = Place(
                    reader: number, component: place, pointTransform: UInt16(stored.approximationLow))
                indices.append(index)
            }
            let tables = try JPEGTables(structure, in: bytes, scan: number)
            let scan = try JPEGLosslessScan(stored, of: layout, indices: indices, tables: tables)
            readers.append(JPEGLosslessScanReader(scan, stored: stored))
        }
        self.places = places.compactMap { $0 }
        guard self.places.count == places.count else {
            if let failure = structure.failure, failure.code != .truncated { throw failure }
            throw JPEGBitstreamError(
                structure.endOffset == nil ? .truncated : .invalidScan,
                "the JPEG has scans for \(self.places.count) of its \(places.count) components",
                offset: structure.endOffset ?? bytes.byteCount)
        }
        row = [UInt16](repeating: 0, count: layout.width * places.count)
    }

    /// The first byte of the file that is still needed.
    package var firstNeededByte: Int { readers.reduce(.max) { min($0, $1.nextByte) } }

    /// Reads the next row of the image.
    ///
    /// - Parameters:
    ///   - bytes: Bytes of the file from the one at `start`, which isn't after ``firstNeededByte``.
    ///   - isWhole: Whether no bytes follow.
    /// - Returns: False if the row needs more bytes.
    /// - Throws: `truncated` or `invalidEntropyData` if the row is missing or damaged; none follows it.
    package mutating func readRow(
        _ bytes: RawSpan, from start: Int = 0, isWhole: Bool
    ) throws(JPEGBitstreamError) -> Bool {
        precondition(rowCount < layout.height)
        for index in readers.indices {
            let scan = readers[index].scan
            let needed =
                scan.components.count == 1
                ? rowNeeded(of: scan.components[0].index) : rowCount / layout.mcuHeight
            while readers[index].rowCount <= needed {
                guard try readers[index].readRow(bytes, from: start, isWhole: isWhole) else { return false }
            }
        }
        for (index, place) in places.enumerated() {
            let reader = readers[place.reader]
            let scanned = reader.scan.components[place.component]
            let y = rowNeeded(of: index) - (reader.rowCount - 1) * scanned.rowsPerMCU
            let first = scanned.start + y * scanned.stride
            Self.copy(
                reader.samples.span.extracting(first..<(first + scanned.width)), place.pointTransform,
                across: layout.components[index].across, of: layout.mcuWidth, to: &row, at: index * layout.width,
                count: layout.width)
        }
        rowCount += 1
        return true
    }

    /// The samples of a component in the last row read, one for each pixel: those of subsampled components are repeated.
    @_lifetime(borrow self)
    package func samples(of component: Int) -> Span<UInt16> {
        row.span.extracting((component * layout.width)..<((component + 1) * layout.width))
    }

    /// The row of a component for the next row of the image.
    private func rowNeeded(of component: Int) -> Int {
        rowCount * layout.components[component].down / layout.mcuHeight
    }

    private static func copy(
        _ samples: Span<UInt16>, _ shift: UInt16, across: Int, of whole: Int, to row: inout [UInt16], at start: Int,
        count: Int
    ) {
        var target = row.mutableSpan
        precondition(start >= 0 && count > 0 && start + count <= target.count)
        precondition(across <= whole && (count - 1) * across / whole < samples.count)
        // In bounds by the lines above.
        if across == whole {
            for x in 0..<count { target[unchecked: start &+ x] = samples[unchecked: x] &<< shift }
        } else {
            for x in 0..<count { target[unchecked: start &+ x] = samples[unchecked: x &* across / whole] &<< shift }
        }
    }
}
