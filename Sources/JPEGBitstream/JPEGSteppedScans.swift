/// Reads the coefficients of a Huffman-coded DCT JPEG on several threads, whatever its scans (ITU-T T.81, F.2 and G.2).
///
/// Scans move together, by some rows of MCUs a step: one of AC coefficients behind those before it of the same component,
/// which it refines, and others side by side. So memory depends on the width and on how often a component is refined, not
/// on the height, unless coefficients are kept for scans that come later. The coefficients don't depend on the number of
/// threads.
///
/// Where a scan's data is damaged or ends, nothing more is read of that scan, and ``failure`` has the reason; other scans go
/// on. It has no threads: the caller calls `read(_:)` for each job of a step, on any threads, then `join()`.
package final class JPEGSteppedScans: @unchecked Sendable {
    // Unchecked: the jobs of a step change different coefficients, and each its own lane.

    /// Where the blocks lie.
    package let layout: JPEGCoefficientLayout
    /// For each component the quantisation steps in natural order; zeros where no scan so far has it.
    package private(set) var steps: [[UInt16]]
    /// For each component, whether only DC is needed.
    private let isDCAlone: [Bool]
    /// For each component, whether scans since the last `readOn(_:)` change what is needed of it.
    package private(set) var isChanged: [Bool]
    /// The rows of MCUs of which all scans have been read, and are held.
    package private(set) var knownRowCount = 0
    /// The number of rows of MCUs that begin before the first damage in a scan without which there is no image; all if
    /// there is none.
    package private(set) var soundRowCount: Int
    /// The rows of MCUs to read.
    private var wantedRows: Range<Int>
    /// Whether lanes note where their scans stand after each row.
    private let notesStates: Bool

    /// Each block's coefficients in natural order, and for each block a bit for each AC coefficient, by its place in zigzag
    /// order, that isn't zero. A row of MCUs is in the place of its number modulo `heldRowCount`.
    private let coefficients: UnsafeMutablePointer<Int16>
    private let masks: UnsafeMutablePointer<UInt64>
    private let memory: Memory
    private let heldRowCount: Int
    private let plan: Plan

    private var entries: [UInt32]
    private var tables: [JPEGHuffmanTable]
    private let order = (0..<64).map { JPEGCoefficientReader.naturalOrder[$0] }
    private var missing: JPEGBitstreamError?
    private var lanes: [Lane]
    private var finished: [JPEGScanCursor] = []
    /// The steps so far, and the lanes that are at work in this one.
    private var stepCount = 0
    private var running: [Lane] = []
    /// The JPEG's bytes while they are lent, and the piece of them for each scan, or one for all.
    private var data = UnsafeRawBufferPointer(start: nil, count: 0)
    private var pieces: [JPEGScanPiece] = []

    /// Scans that one thread reads in a step, one after the other.
    private final class Lane {
        /// The steps by which it comes after the first.
        let stage: Int
        /// None for a lane that clears memory for the others.
        var cursors: [JPEGScanCursor]
        /// Its number among so many that share the rows of a step.
        let number: Int
        let count: Int
        /// Where its scans stand after each row that it has read, if that is noted.
        var states: [JPEGScanState] = []
        /// The row of which a scan's piece lacks bytes.
        var shortRow: Int?

        init(stage: Int, _ cursors: JPEGScanCursor..., number: Int = 0, of count: Int = 1) {
            (self.stage, self.cursors, self.number, self.count) = (stage, cursors, number, count)
        }

        /// The bytes of its scans, as far as their ends are known.
        var byteCount: Int { cursors.reduce(0) { $0 + ($1.end ?? $1.dataOffset) - $1.dataOffset } }
    }

    /// The most steps between the first lane and the last: scans that would come later share the last lane, as all do on one
    /// thread.
    private static func lastStage(isConcurrent: Bool) -> Int { isConcurrent ? 8 : 1 }

    /// Room for the coefficients, of any content.
    package struct Memory {
        let base: UnsafeMutableRawPointer
        let owner: AnyObject

        /// - Parameters:
        ///   - base: Aligned to 8 bytes.
        ///   - owner: Keeps the memory as long as it is kept.
        package init(_ base: UnsafeMutableRawPointer, owner: AnyObject) { (self.base, self.owner) = (base, owner) }
    }

    /// How scans are read.
    package struct Plan: Hashable, Sendable {
        /// Rows of MCUs that a scan moves by in a step.
        package let rowsAtOnce: Int
        /// Whether a step has several jobs.
        let isConcurrent: Bool
        /// Whether all coefficients are kept, for `readOn(_:)`.
        package let keepsAll: Bool

        package init(rowsAtOnce: Int, isConcurrent: Bool, keepsAll: Bool) {
            (self.rowsAtOnce, self.isConcurrent, self.keepsAll) = (rowsAtOnce, isConcurrent, keepsAll)
        }

        /// The bytes of memory that it needs at most.
        package func byteCount(_ layout: JPEGCoefficientLayout) -> Int {
            layout.byteCount * heldRowCount(layout, lastStage: lastStage(isConcurrent: isConcurrent))
        }

        /// The bytes of memory for scans of `script`.
        package func byteCount(_ script: JPEGScanScript, isDCAlone: [Bool]) -> Int {
            let layout = script.layout(isDCAlone: isDCAlone)
            let lanes = JPEGSteppedScans.lanes(for: script.cursors(isDCAlone: isDCAlone), layout, self, from: 1)
            return layout.byteCount * heldRowCount(layout, lastStage: JPEGSteppedScans.last(lanes))
        }

        /// The rows of MCUs that are held: all, or those of all stages and of a step to use them.
        func heldRowCount(_ layout: JPEGCoefficientLayout, lastStage: Int) -> Int {
            keepsAll ? layout.mcusDown : min(layout.mcusDown, (lastStage + 2) * rowsAtOnce)
        }
    }

    /// Prepares to read rows of MCUs of the script's scans, from the first on.
    /// - Parameters:
    ///   - isDCAlone: For each component, whether only DC is needed. Its AC coefficients aren't kept, nor are scans read that
    ///     hold nothing else.
    ///   - memory: Of as many bytes as the plan says.
    package convenience init(_ script: JPEGScanScript, isDCAlone: [Bool], _ plan: Plan, memory: Memory) {
        self.init(script, isDCAlone: isDCAlone, plan, memory: memory, rows: 0..<script.layout.mcusDown, states: nil)
    }

    /// Prepares to pass rows of MCUs whose coefficients aren't needed, only where all scans stand after them.
    /// - Parameter states: Those of the script's scans at the first of the rows.
    package convenience init(
        passing rows: Range<Int>, of script: JPEGScanScript, states: [JPEGScanState], _ plan: Plan, memory: Memory
    ) {
        precondition(states.count == script.scanCount)
        let isDCAlone = script.layout.components.map { _ in false }
        self.init(script, isDCAlone: isDCAlone, plan, memory: memory, rows: rows, states: states)
    }

    private init(
        _ script: JPEGScanScript, isDCAlone: [Bool], _ plan: Plan, memory: Memory, rows: Range<Int>,
        states: [JPEGScanState]?
    ) {
        layout = script.layout(isDCAlone: isDCAlone)
        self.isDCAlone = isDCAlone
        self.plan = plan
        (steps, entries, tables, missing) = (script.steps, script.entries, script.tables, script.failure)
        // Fresh memory takes longer to be cleared than the first scan to be read.
        let count = plan.isConcurrent ? 4 : 1
        lanes =
            (0..<count).map { Lane(stage: 0, number: $0, of: count) }
            + Self.lanes(for: script.cursors(isDCAlone: isDCAlone), layout, plan, from: 1)
        heldRowCount = plan.heldRowCount(layout, lastStage: Self.last(lanes))
        soundRowCount = layout.mcusDown
        wantedRows = rows
        notesStates = states != nil
        knownRowCount = rows.lowerBound
        isChanged = layout.components.map { _ in true }
        self.memory = memory
        let blockCount = heldRowCount * layout.blockCount
        // Masks first, so that both are aligned.
        masks = memory.base.bindMemory(to: UInt64.self, capacity: blockCount)
        coefficients = (memory.base + 8 * blockCount).bindMemory(
            to: Int16.self, capacity: heldRowCount * layout.coefficientCount)
        guard let states else { return }
        for lane in lanes {
            for index in lane.cursors.indices {
                lane.cursors[index].resume(states[lane.cursors[index].number - 1], at: rows.lowerBound, layout)
            }
        }
    }

    /// Prepares to read the scans of a longer script that haven't been read, from the first row of MCUs on. All rows must
    /// have been read, and be kept.
    package func readOn(_ script: JPEGScanScript) {
        precondition(plan.keepsAll && knownRowCount == layout.mcusDown)
        finished += lanes.flatMap { $0.cursors }
        let known = Set(finished.map { $0.number })
        (steps, entries, tables, missing) = (script.steps, script.entries, script.tables, script.failure)
        let cursors = script.cursors(isDCAlone: isDCAlone).filter { !known.contains($0.number) }
        lanes = Self.lanes(for: cursors, layout, plan, from: 0)
        isChanged = layout.components.indices.map { index in
            cursors.contains { $0.members.contains { $0.component == index } }
        }
        stepCount = 0
        knownRowCount = lanes.isEmpty ? layout.mcusDown : 0
    }

    /// The last stage of some lanes.
    private static func last(_ lanes: [Lane]) -> Int { lanes.reduce(0) { max($0, $1.stage) } }

    /// Gives each scan a lane, the longest first, so that threads end at about the same time.
    private static func lanes(
        for cursors: [JPEGScanCursor], _ layout: JPEGCoefficientLayout, _ plan: Plan, from first: Int
    ) -> [Lane] {
        let lastStage = lastStage(isConcurrent: plan.isConcurrent)
        var lanes: [Lane] = []
        // For each component the stage behind its scans of DC and of AC coefficients so far.
        var free = [(dc: Int, ac: Int)](repeating: (first, first), count: layout.components.count)
        for cursor in cursors {
            let (hasDC, hasAC) = (!cursor.holdsDetail, cursor.holdsDetail || cursor.content == .blocks)
            var stage = first
            for member in cursor.members {
                if hasDC { stage = max(stage, free[member.component].dc) }
                if hasAC { stage = max(stage, free[member.component].ac) }
            }
            stage = min(stage, lastStage)
            for member in cursor.members {
                if hasDC { free[member.component].dc = stage + 1 }
                if hasAC { free[member.component].ac = stage + 1 }
            }
            if stage == lastStage, let last = lanes.last(where: { $0.stage == stage }) {
                last.cursors.append(cursor)
            } else {
                lanes.append(Lane(stage: stage, cursor))
            }
        }
        return lanes.sorted { $0.byteCount > $1.byteCount }
    }

    /// Lends the JPEG's bytes to `body`, at least those of the scans' data, to their ends.
    /// - Parameter start: The byte of the JPEG at which `data` begins.
    package func withData<R>(_ data: RawSpan, from start: Int, _ body: () -> R) -> R {
        withData(data, [JPEGScanPiece(start: start, range: start..<(start + data.byteCount))], body)
    }

    /// Lends the bytes of pieces to `body`: one for each scan, or one for all of them.
    package func withData<R>(_ data: RawSpan, _ pieces: [JPEGScanPiece], _ body: () -> R) -> R {
        data.withUnsafeBytes { bytes in
            (self.data, self.pieces) = (bytes, pieces)
            defer { self.data = UnsafeRawBufferPointer(start: nil, count: 0) }
            return body()
        }
    }

    /// Begins a step; nil if all rows are known.
    ///
    /// Coefficients of rows that were known before the step before are overwritten unless they are kept.
    /// - Returns: The number of its jobs, each of which must be done by `read(_:)` before `join()`.
    package func prepare() -> Int? {
        guard knownRowCount < wantedRows.upperBound else { return nil }
        stepCount += 1
        running = lanes.filter { !rows(of: $0).isEmpty }
        return running.count
    }

    /// The rows of MCUs that a lane reads in this step.
    private func rows(of lane: Lane) -> Range<Int> {
        let first = wantedRows.lowerBound + max(0, stepCount - 1 - lane.stage) * plan.rowsAtOnce
        guard stepCount > lane.stage, first < wantedRows.upperBound else { return 0..<0 }
        let rowCount = min(plan.rowsAtOnce, wantedRows.upperBound - first)
        return (first + rowCount * lane.number / lane.count)..<(first + rowCount * (lane.number + 1) / lane.count)
    }

    /// Does a job of the step.
    package func read(_ job: Int) {
        let lane = running[job]
        // Spans need local variables.
        let (entries, tables, order) = (entries, tables, order)
        for row in rows(of: lane) {
            let place = row % heldRowCount
            let values = UnsafeMutableBufferPointer(
                start: coefficients + place * layout.coefficientCount, count: layout.coefficientCount)
            let bits = UnsafeMutableBufferPointer(start: masks + place * layout.blockCount, count: layout.blockCount)
            guard !lane.cursors.isEmpty else {
                values.update(repeating: 0)
                bits.update(repeating: 0)
                continue
            }
            // The memory has room for the row, and no other lane changes the same coefficients or masks in this step.
            var blocks = JPEGScanCursor.Row(
                values.mutableSpan, bits.mutableSpan, entries: entries.span, tables: tables.span, order: order.span,
                layout: layout, number: row)
            for index in lane.cursors.indices {
                let piece = pieces[min(lane.cursors[index].number, pieces.count) - 1]
                let bytes = data.bytes.extracting(piece.place)
                lane.cursors[index].read(&blocks, from: bytes, start: piece.range.lowerBound)
                guard notesStates else { continue }
                if piece.isCut, lane.cursors[index].isDamagedIn(row),
                    lane.cursors[index].mayHaveLacked(bytesFrom: piece.range.upperBound)
                {
                    lane.shortRow = row
                    return
                }
                lane.states.append(lane.cursors[index].state(in: bytes, from: piece.range.lowerBound))
            }
        }
    }

    /// Ends the step.
    package func join() {
        for lane in running {
            for cursor in lane.cursors where cursor.isNeeded {
                if let row = cursor.damagedRow { soundRowCount = min(soundRowCount, row + 1) }
            }
            // Lanes that depend on it are behind.
            if let row = lane.shortRow { wantedRows = wantedRows.clamped(to: 0..<row) }
        }
        let count = max(0, stepCount - Self.last(lanes)) * plan.rowsAtOnce
        knownRowCount = min(wantedRows.lowerBound + count, wantedRows.upperBound)
    }

    /// Where all scans stand after each row that was passed, as far as the pieces had its bytes; and the first damage in these
    /// rows.
    package var passed: (starts: [JPEGScanIndex.Start], failure: JPEGBitstreamError?) {
        var starts: [JPEGScanIndex.Start] = []
        let scanCount = lanes.reduce(0) { $0 + $1.cursors.count }
        for (place, row) in wantedRows.enumerated() {
            var states = [JPEGScanState](repeating: JPEGScanState(position: 0, carry: 0), count: scanCount)
            for lane in lanes {
                for (index, cursor) in lane.cursors.enumerated() {
                    states[cursor.number - 1] = lane.states[place * lane.cursors.count + index]
                }
            }
            starts.append(JPEGScanIndex.Start(row: row + 1, states: states))
        }
        let damages = lanes.flatMap { $0.cursors }.filter { wantedRows.contains($0.damagedRow ?? -1) }
        return (starts, damages.compactMap { $0.failure }.min { $0.offset < $1.offset })
    }

    /// For each scan the bytes that reading on needs first, to the end of its data.
    /// - Parameter fileEnd: The JPEG's end, for a scan that no marker ends.
    package func remainingRanges(fileEnd: Int) -> [Range<Int>] {
        lanes.flatMap { $0.cursors }.sorted { $0.number < $1.number }.map { $0.remainingRange(fileEnd: fileEnd) }
    }

    /// The first damage in the rows that begin before the one that leaves nothing to show, or why the file is incomplete.
    package var failure: JPEGBitstreamError? {
        var first = missing
        for cursor in finished + lanes.flatMap({ $0.cursors }) {
            guard let damage = cursor.failure, cursor.damagedRow ?? 0 <= soundRowCount else { continue }
            if damage.offset < first?.offset ?? .max { first = damage }
        }
        return first
    }

    /// The coefficients and masks of a row of MCUs that is known and held, from its first block on.
    package func blocks(ofRow row: Int) -> (coefficients: UnsafePointer<Int16>, masks: UnsafePointer<UInt64>) {
        let place = row % heldRowCount
        return (
            UnsafePointer(coefficients + place * layout.coefficientCount),
            UnsafePointer(masks + place * layout.blockCount)
        )
    }
}
