/// The scans of a frame as their headers come: checks each, and takes the tables in force for its cursor.
package struct JPEGScanScript: Sendable {
    private(set) var cursors: [JPEGScanCursor] = []
    /// The look-up tables of all scans, one after the other, and the tables they were made of.
    private(set) var entries: [UInt32] = []
    private(set) var tables: [JPEGHuffmanTable] = []
    /// For each component the quantisation steps in natural order, as in force at its first scan; zeros where no scan has
    /// it.
    package private(set) var steps: [[UInt16]]
    /// The damage among the headers, or what the file lacks, if anything.
    package private(set) var failure: JPEGBitstreamError?

    /// The layout of the frame's blocks.
    package let layout: JPEGCoefficientLayout
    private let frame: JPEGFrame
    private let scans: [JPEGScan]
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

    /// Prepares to take the segments of the structure, each by `take(_:in:from:)`.
    /// - Throws: `invalidFrame` for a frame that isn't of Huffman-coded DCT blocks, `invalidScan` for more scans or segments
    ///   than the structure has, and the structure's failure where it has no scan.
    package init(_ structure: JPEGStructure) throws(JPEGBitstreamError) {
        guard let frame = structure.frame, let first = structure.scans.first else {
            throw structure.failure ?? JPEGBitstreamError(.truncated, "the JPEG has no scan", offset: 0)
        }
        layout = try JPEGCoefficientLayout(frame)
        guard structure.scanCount == structure.scans.count, structure.segmentCount == structure.segments.count else {
            throw JPEGBitstreamError(
                .invalidScan,
                """
                the JPEG has \(structure.segmentCount) segments; the limit is \(JPEGMarkerWalker.defaultRecordLimit)
                """, offset: structure.scans.last?.offset ?? first.offset)
        }
        self.frame = frame
        scans = structure.scans
        let count = layout.components.count
        steps = [[UInt16]](repeating: [UInt16](repeating: 0, count: 64), count: count)
        knownBits = [[Int]](repeating: [Int](repeating: -1, count: 64), count: count)
        hasScan = [Bool](repeating: false, count: count)
    }

    /// The script of a JPEG in memory.
    ///
    /// Where a scan's header or tables are damaged, the scans before it are taken.
    /// - Parameters:
    ///   - head: The JPEG's first bytes, at least to the first scan's data.
    ///   - data: The JPEG from byte `dataStart` on, at most the first scan's first byte of data.
    ///   - scanCount: The number of scans to take; nil for all.
    /// - Throws: As `init(_:)` and `take(_:in:from:)`, for the first scan.
    package init(
        _ structure: JPEGStructure, head: RawSpan, data: RawSpan, from dataStart: Int, scanCount: Int? = nil
    ) throws(JPEGBitstreamError) {
        try self.init(structure)
        guard let first = scans.first, dataStart <= first.dataOffset, head.byteCount >= first.dataOffset else {
            throw JPEGBitstreamError(.invalidScan, "the first scan begins in the wrong place", offset: dataStart)
        }
        for segment in structure.segments {
            if segment.marker == .startOfScan, cursors.count == scanCount { return }
            let isInHead = segment.payload.upperBound <= head.byteCount
            try takeIfSound(segment, in: isInHead ? head : data, from: isInHead ? 0 : dataStart)
            if failure != nil { break }
        }
        if scanCount == nil { finish(structure) }
    }

    /// Takes a segment as `take(_:in:from:)` does; after the first scan sets `failure` where that throws.
    package mutating func takeIfSound(
        _ segment: JPEGSegment, in data: RawSpan, from start: Int
    ) throws(JPEGBitstreamError) {
        guard failure == nil else { return }
        do throws(JPEGBitstreamError) {
            try take(segment, in: data, from: start)
        } catch {
            guard !cursors.isEmpty else { throw error }
            failure = error
        }
    }

    /// Takes the tables of a segment, or begins the next scan; ignores any other segment.
    /// - Parameter start: The byte of the JPEG at which `data` begins.
    /// - Throws: `invalidScan` for an impossible script, `invalidHuffmanTable` or `invalidQuantizationTable` for tables that
    ///   are damaged or missing.
    package mutating func take(
        _ segment: JPEGSegment, in data: RawSpan, from start: Int
    ) throws(JPEGBitstreamError) {
        guard segment.marker == .startOfScan else { return try definitions.read(segment, in: data, from: start) }
        try begin(scans[cursors.count])
    }

    /// Notes, after the last segment, what the file lacks. A missing end-of-image marker alone isn't an error.
    package mutating func finish(_ structure: JPEGStructure) {
        guard failure == nil else { return }
        if let error = structure.failure {
            if error.code != .truncated || !isComplete { failure = error }
        } else {
            failure = missingComponent
        }
    }

    /// Whether a scan behind the first `count` holds more than AC coefficients of components of which only DC is needed.
    package func changes(after count: Int, isDCAlone: [Bool]) -> Bool {
        cursors(isDCAlone: isDCAlone).contains { $0.number > count }
    }

    /// The scans that hold more than AC coefficients of components of which only DC is needed.
    func cursors(isDCAlone: [Bool]) -> [JPEGScanCursor] { cursors.filter { !$0.isOmitted(isDCAlone) } }

    /// The layout in which some components have DC alone; the scans of a sequential frame have all coefficients of a block.
    func layout(isDCAlone: [Bool]) -> JPEGCoefficientLayout {
        isProgressive ? layout.strip(isDCAlone: isDCAlone) : layout
    }

    /// The number of scans.
    package var scanCount: Int { cursors.count }

    /// Whether scans hold parts of blocks.
    var isProgressive: Bool { frame.process == .progressive }

    /// The bytes of each scan's data; to the end of the file where none follows.
    package func dataRanges(fileEnd: Int) -> [Range<Int>] {
        cursors.map { $0.dataOffset..<max($0.dataOffset, $0.end ?? fileEnd) }
    }

    /// Whether the scans so far hold every coefficient to its last bit, each in a legal order.
    package var isComplete: Bool { isInOrder && knownBits.allSatisfy { $0.allSatisfy { $0 == 0 } } }

    /// Whether the scans so far hold every AC coefficient of a component to its last bit, each in a legal order.
    func hasAllDetail(of component: Int) -> Bool {
        isInOrder && knownBits[component].dropFirst().allSatisfy { $0 == 0 }
    }

    /// The error of a component that no scan holds; nil if there is none.
    private var missingComponent: JPEGBitstreamError? {
        guard let index = hasScan.firstIndex(of: false) else { return nil }
        return JPEGBitstreamError(
            .invalidScan, "component \(frame.components[index].identifier) has no scan",
            offset: cursors.last?.offset ?? 0)
    }

    /// Begins the next scan.
    private mutating func begin(_ scan: JPEGScan) throws(JPEGBitstreamError) {
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
            JPEGScanCursor(scan, number: cursors.count + 1, members: members, content: content))
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
