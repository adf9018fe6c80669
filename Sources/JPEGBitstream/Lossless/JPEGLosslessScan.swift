/// A lossless scan's parameters: its components' tables, the layout of a row of MCUs, and the prediction.
///
/// A data unit is one sample. The MCU of several components has as many samples of each as its sampling factors say; the
/// MCU of one component is one sample (ITU-T T.81, A.2).
struct JPEGLosslessScan: Sendable {
    /// A component of the scan.
    struct Component: Sendable {
        /// Its number in the frame, from 0.
        let index: Int
        /// Samples across, and down in the whole image, without padding.
        let width: Int
        let height: Int
        /// Rows in a row of MCUs.
        let rowsPerMCU: Int
        /// Samples in a row, padded to whole MCUs, and the place of the first row.
        let stride: Int
        let start: Int
    }

    /// A sample of an MCU, as plain numbers, so that iterating costs no reference counting.
    struct Unit: Sendable {
        /// The component's number in the scan.
        let component: Int
        /// The first entry of its table.
        let table: Int
        /// Its place in the first MCU of a row, and the distance to its place in the next.
        let start: Int
        let step: Int
    }

    /// The most samples in an MCU of several components (T.81, B.2.3).
    static let maximumUnitCount = 10

    let components: [Component]
    let units: [Unit]
    let tables: [JPEGHuffmanTable]
    /// The look-up tables' entries, one table after the other.
    let entries: [UInt32]
    let predictor: JPEGPredictor
    /// The prediction of the first sample.
    let firstPrediction: UInt16
    /// The bits that a sample doesn't have.
    let excessBits: UInt16
    /// MCUs in a row, and rows of MCUs.
    let mcusAcross: Int
    let mcusDown: Int
    /// Rows of MCUs between restart markers; nil without them.
    let rowsPerRestart: Int?
    /// Samples in a row of MCUs.
    let sampleCount: Int
    /// The most bytes that an MCU can take, plus the reader's look-ahead.
    let margin: Int

    /// - Parameters:
    ///   - indices: The frame's component for each of the scan's.
    ///   - tables: The tables in force when the scan begins.
    init(
        _ scan: JPEGScan, of layout: JPEGLosslessLayout, indices: [Int], tables: JPEGTables
    ) throws(JPEGBitstreamError) {
        func invalid(_ message: String) -> JPEGBitstreamError {
            JPEGBitstreamError(.invalidScan, message, offset: scan.offset)
        }
        guard let predictor = JPEGPredictor(rawValue: scan.spectralStart) else {
            throw invalid("a lossless scan has the predictor \(scan.spectralStart), which must be 1 to 7")
        }
        let sampleBits = layout.precision - Int(scan.approximationLow)
        guard sampleBits > 0 else {
            throw invalid(
                """
                a lossless scan drops \(scan.approximationLow) bits of each sample (point transform), \
                which has \(layout.precision)
                """)
        }
        self.predictor = predictor
        firstPrediction = 1 << UInt16(sampleBits - 1)
        excessBits = sampleBits == 16 ? 0 : ~0 << UInt16(sampleBits)

        let isAlone = indices.count == 1
        let first = layout.components[indices[0]]
        mcusAcross = isAlone ? first.width : layout.mcusAcross
        mcusDown = isAlone ? first.height : layout.mcusDown
        var (components, units, entries): ([Component], [Unit], [UInt32]) = ([], [], [])
        var huffman: [JPEGHuffmanTable] = []
        var places: [UInt8: Int] = [:]
        var start = 0
        for (number, (index, scanned)) in zip(indices, scan.components).enumerated() {
            guard scanned.dcTable < tables.dc.count, let table = tables.dc[Int(scanned.dcTable)] else {
                throw invalid("a lossless scan needs the Huffman table \(scanned.dcTable), which isn't defined")
            }
            let place = places[scanned.dcTable] ?? entries.count
            if place == entries.count { entries += JPEGDifferenceTable(table).entries }
            places[scanned.dcTable] = place
            huffman.append(table)
            let component = layout.components[index]
            let (across, down) = isAlone ? (1, 1) : (component.across, component.down)
            let stride = mcusAcross * across
            for y in 0..<down {
                for x in 0..<across {
                    units.append(
                        Unit(component: number, table: place, start: start + y * stride + x, step: across))
                }
            }
            components.append(
                Component(
                    index: index, width: component.width, height: component.height, rowsPerMCU: down, stride: stride,
                    start: start))
            start += stride * down
        }
        guard isAlone || units.count <= Self.maximumUnitCount else {
            throw invalid("an MCU has \(units.count) samples; the limit is \(Self.maximumUnitCount)")
        }
        // T.81, H.1.1: an interval is a whole number of rows, which makes the first sample after it the first of a row.
        guard scan.restartInterval % mcusAcross == 0 else {
            throw invalid(
                """
                the restart interval of \(scan.restartInterval) MCUs isn't a multiple of a row's \(mcusAcross), \
                as a lossless scan needs
                """)
        }
        rowsPerRestart = scan.restartInterval == 0 ? nil : scan.restartInterval / mcusAcross
        self.components = components
        self.units = units
        self.entries = entries
        self.tables = huffman
        sampleCount = start
        margin = (units.count * JPEGDifferenceTable.maximumBitCount + 7) / 8 + 16
    }
}
