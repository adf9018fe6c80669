/// The scans of a frame as their headers come: checks each, and takes the tables in force for its cursor.
struct JPEGScanScript {
    private(set) var cursors: [JPEGScanCursor] = []
    /// The look-up tables of all scans, one after the other, and the tables they were made of.
    private(set) var entries: [UInt32] = []
    private(set) var tables: [JPEGHuffmanTable] = []
    /// For each component the quantisation steps in natural order, as in force at its first scan.
    private(set) var steps: [[UInt16]]

    private let frame: JPEGFrame
    private let layout: JPEGCoefficientLayout
    private var definitions = JPEGTables()
    private var places: [Key: JPEGCoefficientReader.Table] = [:]
    /// For each component the lowest known bit of each coefficient, in zigzag order; -1 for none.
    private var knownBits: [[Int]]
    /// Whether each scan holds what may follow the scans before it.
    private var isInOrder = true
    private var hasScan: [Bool]

    private struct Key: Hashable {
        let table: JPEGHuffmanTable
        let isDC: Bool
        let hasRuns: Bool
    }

    init(_ frame: JPEGFrame, _ layout: JPEGCoefficientLayout) {
        self.frame = frame
        self.layout = layout
        let count = layout.components.count
        steps = [[UInt16]](repeating: [UInt16](repeating: 0, count: 64), count: count)
        knownBits = [[Int]](repeating: [Int](repeating: -1, count: 64), count: count)
        hasScan = [Bool](repeating: false, count: count)
    }

    /// Whether the scans so far hold every coefficient to its last bit, each in a legal order.
    var isComplete: Bool { isInOrder && knownBits.allSatisfy { $0.allSatisfy { $0 == 0 } } }

    /// The error of a component that no scan holds; nil if there is none.
    var missingComponent: JPEGBitstreamError? {
        guard let index = hasScan.firstIndex(of: false) else { return nil }
        return JPEGBitstreamError(
            .invalidScan, "component \(frame.components[index].identifier) has no scan",
            offset: cursors.last?.offset ?? 0)
    }

    /// Takes the tables of a segment.
    mutating func read(_ segment: JPEGSegment, in data: RawSpan, from start: Int) throws(JPEGBitstreamError) {
        try definitions.read(segment, in: data, from: start)
    }

    /// Begins the next scan.
    mutating func begin(_ scan: JPEGScan, dataStart: Int) throws(JPEGBitstreamError) {
        let content = try content(of: scan)
        var members: [JPEGScanCursor.Member] = []
        var blocks = 0
        for member in scan.components {
            guard let index = frame.components.firstIndex(where: { $0.identifier == member.identifier }),
                !members.contains(where: { $0.component == index })
            else {
                throw invalid(scan, "names component \(member.identifier), which the frame doesn't have, or twice")
            }
            try takeSteps(of: index, scan)
            blocks += layout.components[index].across * layout.components[index].down
            members.append(
                JPEGScanCursor.Member(
                    component: index,
                    dc: try content == .blocks || content == .dc
                        ? table(member.dcTable, isDC: true, content, scan) : .init(start: 0, index: 0),
                    ac: try content == .dc || content == .dcBit
                        ? .init(start: 0, index: 0) : table(member.acTable, isDC: false, content, scan)))
            note(scan, index)
        }
        guard members.count == 1 || blocks <= 10 else {
            throw invalid(scan, "has \(blocks) blocks in an MCU, not 1 to 10")
        }
        cursors.append(
            JPEGScanCursor(
                scan, number: cursors.count + 1, members: members, content: content, dataStart: dataStart))
    }

    private func invalid(_ scan: JPEGScan, _ message: String) -> JPEGBitstreamError {
        JPEGBitstreamError(.invalidScan, "scan \(cursors.count + 1) \(message)", offset: scan.offset)
    }

    /// The part of a block that a scan holds, by its header (T.81, B.2.3 and G.1.1.1).
    private func content(of scan: JPEGScan) throws(JPEGBitstreamError) -> JPEGScanCursor.Content {
        let (start, end) = (scan.spectralStart, scan.spectralEnd)
        guard frame.process == .progressive else {
            // libjpeg ignores other values too.
            guard start == 0, end == 63 else {
                throw invalid(scan, "has the coefficients \(start) to \(end), not 0 to 63")
            }
            return .blocks
        }
        guard start <= end, end < 64, start > 0 || end == 0 else {
            throw invalid(scan, "has the coefficients \(start) to \(end), which is no band")
        }
        guard start == 0 || scan.components.count == 1 else {
            throw invalid(scan, "has AC coefficients of \(scan.components.count) components, not one")
        }
        let (high, low) = (scan.approximationHigh, scan.approximationLow)
        guard low <= 13, high == 0 || high == low + 1 else {
            throw invalid(scan, "goes from bit \(high) to bit \(low)")
        }
        return start == 0 ? (high == 0 ? .dc : .dcBit) : (high == 0 ? .band : .bandBit)
    }

    /// Takes the quantisation table for a component's first scan.
    private mutating func takeSteps(of index: Int, _ scan: JPEGScan) throws(JPEGBitstreamError) {
        guard !hasScan[index] else { return }
        let component = frame.components[index]
        guard component.quantizationTable < 4,
            let zigzag = definitions.quantization[Int(component.quantizationTable)]
        else {
            throw JPEGBitstreamError(
                .invalidQuantizationTable,
                "quantisation table \(component.quantizationTable) isn't defined before scan \(cursors.count + 1)",
                offset: scan.offset)
        }
        hasScan[index] = true
        for place in 0..<64 { steps[index][Int(JPEGCoefficientReader.naturalOrder[place])] = zigzag[place] }
    }

    /// The place of a Huffman table among those of all scans.
    private mutating func table(
        _ selector: UInt8, isDC: Bool, _ content: JPEGScanCursor.Content, _ scan: JPEGScan
    ) throws(JPEGBitstreamError) -> JPEGCoefficientReader.Table {
        guard selector < 4, let table = (isDC ? definitions.dc : definitions.ac)[Int(selector)] else {
            throw JPEGBitstreamError(
                .invalidHuffmanTable,
                "\(isDC ? "DC" : "AC") table \(selector) isn't defined before scan \(cursors.count + 1)",
                offset: scan.offset)
        }
        let key = Key(table: table, isDC: isDC, hasRuns: content == .band || content == .bandBit)
        if let known = places[key] { return known }
        let place = JPEGCoefficientReader.Table(start: entries.count, index: tables.count)
        entries += JPEGSymbolTable(table, isDC: isDC, hasRuns: key.hasRuns).entries
        tables.append(table)
        places[key] = place
        return place
    }

    /// Notes which bits of a component's coefficients are known after a scan.
    private mutating func note(_ scan: JPEGScan, _ index: Int) {
        guard frame.process == .progressive else {
            knownBits[index] = [Int](repeating: 0, count: 64)
            return
        }
        // AC before DC is out of order for libjpeg.
        if scan.spectralStart > 0, knownBits[index][0] < 0 { isInOrder = false }
        for place in Int(scan.spectralStart)...Int(scan.spectralEnd) {
            let known = knownBits[index][place]
            if Int(scan.approximationHigh) != max(known, 0) || (known == 0) { isInOrder = false }
            knownBits[index][place] = Int(scan.approximationLow)
        }
    }
}
