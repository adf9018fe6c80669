/// The state of reading one scan, a row of MCUs at a time.
///
/// Between two rows this is all that is kept: the position, the blocks left of an end-of-block run, the DC predictions
/// and the MCUs to the next restart marker. The tables are those in force at the scan's header.
struct JPEGScanCursor: Sendable {
    /// A component of the scan.
    struct Member: Sendable {
        /// Its index in the frame.
        let component: Int
        let dc: JPEGCoefficientReader.Table
        let ac: JPEGCoefficientReader.Table
    }

    /// The part of a block that the scan holds.
    enum Content: Sendable {
        /// All coefficients of a sequential process.
        case blocks
        /// The first bits of DC, or one more bit.
        case dc, dcBit
        /// The first bits of a band of AC coefficients, or one more bit.
        case band, bandBit
    }

    let members: [Member]
    let content: Content
    let band: ClosedRange<Int>
    /// The position of the lowest bit that the scan holds.
    let low: Int
    let restartInterval: Int
    /// The scan's number from 1, and the first byte of its SOS marker.
    let number: Int
    let offset: Int
    /// The first byte of the scan's data.
    let dataOffset: Int
    /// The byte after the scan's data; nil where the file ends in it.
    let end: Int?

    /// Why the scan can't be read further; nothing is read from then on.
    private(set) var failure: JPEGBitstreamError?
    /// The row of MCUs in which that was found.
    private(set) var damagedRow: Int?

    // The bit reader's state: the JPEG's next byte, and the bits buffered.
    var place: Int
    var bits: UInt64 = 0
    var count = 0
    /// The bits of the next byte that have been read; set where reading resumes.
    var bitsRead = 0

    var endRun = 0
    var predictions = InlineArray<4, Int>(repeating: 0)
    var mcusToRestart: Int
    var nextRestart = 0

    init(_ scan: JPEGScan, number: Int, members: [Member], content: Content) {
        self.members = members
        self.content = content
        band = Int(scan.spectralStart)...Int(scan.spectralEnd)
        low = content == .blocks ? 0 : Int(scan.approximationLow)
        restartInterval = scan.restartInterval
        self.number = number
        offset = scan.offset
        (dataOffset, end) = (scan.dataOffset, scan.endOffset)
        place = scan.dataOffset
        mcusToRestart = restartInterval
    }

    /// The coefficients of a row of MCUs, and what they are read by.
    struct Row: ~Copyable, ~Escapable {
        var coefficients: MutableSpan<Int16>
        var masks: MutableSpan<UInt64>
        let entries: Span<UInt32>
        let tables: Span<JPEGHuffmanTable>
        let order: Span<UInt8>
        let layout: JPEGCoefficientLayout
        var number: Int

        @_lifetime(copy coefficients, copy masks, copy entries, copy tables, copy order)
        init(
            _ coefficients: consuming MutableSpan<Int16>, _ masks: consuming MutableSpan<UInt64>,
            entries: Span<UInt32>, tables: Span<JPEGHuffmanTable>, order: Span<UInt8>,
            layout: JPEGCoefficientLayout, number: Int
        ) {
            self.coefficients = coefficients
            self.masks = masks
            self.entries = entries
            self.tables = tables
            self.order = order
            self.layout = layout
            self.number = number
        }
    }

    /// Some of the units of a line of a row of MCUs: of MCUs, or of a line of blocks in a scan of one component.
    struct Part {
        let line: Int
        let units: Range<Int>
        /// The unit whose blocks are the first in the row's memory.
        let origin: Int
    }

    /// Reads the scan's part of a row of MCUs; rows must be read in order.
    /// - Parameters:
    ///   - part: The units to read, in order too; nil for all.
    ///   - start: The byte of the JPEG at which `data` begins.
    mutating func read(_ row: inout Row, _ part: Part? = nil, from data: RawSpan, start: Int) {
        guard failure == nil else { return }
        guard 0...data.byteCount ~= place - start else {
            return fail(
                JPEGBitstreamError(.truncated, "scan \(number)'s data isn't at hand", offset: place), in: row.number)
        }
        var bitReader = JPEGBitReader(data, offset: place - start, bits: bits, count: count)
        if bitsRead > 0 {
            bitReader.fill()
            bitReader.drop(bitsRead)
            bitsRead = 0
        }
        var reader = JPEGCoefficientReader(bitReader, endRun: endRun, entries: row.entries, tables: row.tables)
        let isSound =
            if let part {
                members.count == 1
                    ? readLine(part, &row, &reader) : readMCUs(part.units, from: part.origin, &row, &reader)
            } else {
                members.count == 1
                    ? readBlocks(&row, &reader) : readMCUs(0..<row.layout.mcusAcross, from: 0, &row, &reader)
            }
        endRun = reader.endRun
        (place, bits, count) = (start + reader.reader.offset, reader.reader.bits, reader.reader.count)
        guard !isSound else { return }
        // The first bit that wasn't read, however many are buffered.
        let stop = count > 0 ? reader.reader.position >> 3 : reader.reader.offset
        fail(damage(at: start + stop, dataEnd: start + data.byteCount, row: row.number), in: row.number)
    }

    mutating func fail(_ error: JPEGBitstreamError, in row: Int) {
        failure = error
        damagedRow = row
    }

    /// Whether it holds AC coefficients only.
    var holdsDetail: Bool { content == .band || content == .bandBit }

    /// Whether it holds nothing but AC coefficients of a component of which only DC is needed.
    func isOmitted(_ isDCAlone: [Bool]) -> Bool { holdsDetail && isDCAlone[members[0].component] }

    /// Whether there is no image without it.
    var isNeeded: Bool { content == .blocks || content == .dc }

    /// Whether the row of MCUs with this number is the first that couldn't be read.
    func isDamagedIn(_ row: Int) -> Bool { damagedRow == row }

    private func damage(at offset: Int, dataEnd: Int, row: Int) -> JPEGBitstreamError {
        // A marker that wasn't expected may end the data too, and an FF be the last byte.
        if end == nil, place + 1 >= dataEnd {
            return JPEGBitstreamError(
                .truncated, "the JPEG ends within scan \(number), in MCU row \(row + 1)", offset: dataEnd)
        }
        return JPEGBitstreamError(
            .invalidEntropyData, "scan \(number) is damaged in MCU row \(row + 1)", offset: offset)
    }

    /// Reads a scan of several components, MCU by MCU.
    private mutating func readMCUs(
        _ mcus: Range<Int>, from origin: Int, _ row: inout Row, _ reader: inout JPEGCoefficientReader
    ) -> Bool {
        // A copy stays in registers.
        var copy = reader
        // Scans of AC coefficients alone have one component.
        let isSound =
            switch content {
            case .dc: readMCUs(of: .dc, mcus, from: origin, &row, &copy)
            case .dcBit: readMCUs(of: .dcBit, mcus, from: origin, &row, &copy)
            default: readMCUs(of: .blocks, mcus, from: origin, &row, &copy)
            }
        reader = copy
        return isSound
    }

    /// - Parameter content: A constant, so that the compiler makes code for each.
    @inline(__always)
    private mutating func readMCUs(
        of content: Content, _ mcus: Range<Int>, from origin: Int, _ row: inout Row,
        _ reader: inout JPEGCoefficientReader
    ) -> Bool {
        // For each block of an MCU the place of its coefficients, and from there to the next MCU's.
        var blocks = InlineArray<10, (place: Int, step: Int, member: Int)>(repeating: (0, 0, 0))
        var count = 0
        for (index, member) in members.enumerated() {
            let component = row.layout.components[member.component]
            let step = component.across &* component.coefficientsPerBlock
            for y in 0..<component.down {
                let first = component.start &+ y &* component.stride
                for x in 0..<component.across {
                    let place = component.place(of: first &+ x) &+ (mcus.lowerBound &- origin) &* step
                    // A scan has at most ten.
                    blocks[count] = (place, step, index)
                    count &+= 1
                }
            }
        }
        for _ in mcus {
            guard passRestart(&reader) else { return false }
            for index in 0..<count {
                let (place, step, member) = blocks[index]
                // A mask is only needed where all coefficients are read: then each block has 64.
                guard readBlock(of: content, place &>> 6, place, member, &row, &reader) else { return false }
                blocks[index].place = place &+ step
            }
        }
        return true
    }

    /// Reads a scan of one component, which has no blocks beyond those with samples of the image.
    private mutating func readBlocks(_ row: inout Row, _ reader: inout JPEGCoefficientReader) -> Bool {
        let component = row.layout.components[members[0].component]
        let rows = min(component.down, component.blocksDown - row.number * component.down)
        for y in 0..<max(0, rows) {
            let line = Part(line: y, units: 0..<component.blocksAcross, origin: 0)
            guard readLine(line, &row, &reader) else { return false }
        }
        return true
    }

    /// Reads blocks of a line of blocks.
    private mutating func readLine(_ part: Part, _ row: inout Row, _ reader: inout JPEGCoefficientReader) -> Bool {
        // A copy stays in registers.
        var copy = reader
        let isSound =
            switch content {
            case .blocks: readLine(of: .blocks, part, &row, &copy)
            case .dc: readLine(of: .dc, part, &row, &copy)
            case .dcBit: readLine(of: .dcBit, part, &row, &copy)
            case .band: readLine(of: .band, part, &row, &copy)
            case .bandBit: readLine(of: .bandBit, part, &row, &copy)
            }
        reader = copy
        return isSound
    }

    /// - Parameter content: A constant, so that the compiler makes code for each.
    @inline(__always)
    private mutating func readLine(
        of content: Content, _ part: Part, _ row: inout Row, _ reader: inout JPEGCoefficientReader
    ) -> Bool {
        let component = row.layout.components[members[0].component]
        let first = component.start &+ part.line &* component.stride &- part.origin
        var place = component.place(of: first &+ part.units.lowerBound)
        for block in (first &+ part.units.lowerBound)..<(first &+ part.units.upperBound) {
            guard passRestart(&reader), readBlock(of: content, block, place, 0, &row, &reader) else { return false }
            place &+= component.coefficientsPerBlock
        }
        return true
    }

    /// Reads a block; false if it is invalid, or the data ends within it.
    /// - Parameter base: The place of its coefficients.
    @inline(__always)
    private mutating func readBlock(
        of content: Content, _ block: Int, _ base: Int, _ index: Int, _ row: inout Row,
        _ reader: inout JPEGCoefficientReader
    ) -> Bool {
        let isSound: Bool
        switch content {
        case .blocks:
            isSound =
                reader.readDifference(members[index].dc, &predictions[index])
                && reader.readBlock(
                    members[index].ac, into: &row.coefficients, at: base, mask: &row.masks[block], order: row.order)
            row.coefficients[base] = Int16(truncatingIfNeeded: predictions[index])
        case .dc:
            isSound = reader.readDifference(members[index].dc, &predictions[index])
            row.coefficients[base] = Int16(truncatingIfNeeded: predictions[index] &<< low)
        case .dcBit:
            // Without a branch, which would be predicted wrongly for half of the blocks.
            let bit = reader.takeBit() ? 1 : 0
            row.coefficients[base] |= Int16(truncatingIfNeeded: bit &<< low)
            isSound = true
        case .band:
            var mask = row.masks[block]
            isSound = reader.readBand(
                members[0].ac, band, low: low, into: &row.coefficients, at: base, mask: &mask, order: row.order)
            row.masks[block] = mask
        case .bandBit:
            var mask = row.masks[block]
            isSound = reader.refineBand(
                members[0].ac, band, low: low, into: &row.coefficients, at: base, mask: &mask, order: row.order)
            row.masks[block] = mask
        }
        return isSound && reader.reader.count >= 0
    }

    /// Passes the restart marker if one is next; false if it should be next and isn't.
    @inline(__always)
    private mutating func passRestart(_ reader: inout JPEGCoefficientReader) -> Bool {
        guard restartInterval > 0 else { return true }
        if mcusToRestart == 0 {
            guard reader.reader.restart(nextRestart) else { return false }
            nextRestart = (nextRestart &+ 1) & 7
            mcusToRestart = restartInterval
            reader.endRun = 0
            predictions = .init(repeating: 0)
        }
        mcusToRestart &-= 1
        return true
    }
}
