package import JPEGBitstream
internal import Raster

/// Decodes the rows of a JPEG of several scans on several threads (see `JPEGPixelRows`), which read the scans in step: memory
/// is that of some rows of MCUs, or of all coefficients if they are kept for passes over scans that come later.
package final class JPEGSteppedRows {
    private let blocks: Blocks
    private let rows: JPEGPixelRows
    private let plan: Plan
    private var scans: JPEGSteppedScans { blocks.scans }

    /// How an image is decoded.
    package struct Plan: Hashable, Sendable {
        let threadCount: Int
        let scans: JPEGSteppedScans.Plan

        /// - Parameter rowsAtOnce: Rows of MCUs that a scan moves by in a step; nil for as many as keep the threads busy.
        package init(_ layout: JPEGCoefficientLayout, threadCount: Int, keepsAll: Bool, rowsAtOnce: Int? = nil) {
            self.threadCount = threadCount
            let enough = threadCount > 1 ? JPEGPixelRows.rowsAtOnce(layout, side: 8, threadCount: threadCount) : 1
            scans = JPEGSteppedScans.Plan(
                rowsAtOnce: rowsAtOnce ?? enough, isConcurrent: threadCount > 1, keepsAll: keepsAll)
        }

        /// The plan that is fastest within the limit for working memory.
        /// - Parameters:
        ///   - side: Pixels on a block's side: 8, 4, 2 or 1.
        ///   - hasPasses: Whether all passes are requested.
        /// - Throws: `limitExceeded` where there isn't even room for some rows.
        init(
            _ layout: JPEGCoefficientLayout, side: Int, hasPasses: Bool, limits: DecodingLimits
        ) throws(ImageError) {
            let isSmall = layout.width * layout.height < JPEGSlices.leastPixelCount
            let keepsAll = hasPasses && layout.byteCount * layout.mcusDown <= Self.mostKeptByteCount
            let least = Plan(layout, threadCount: 1, keepsAll: false)
            let threaded = Plan(layout, threadCount: isSmall ? 1 : JPEGSlices.threadCount, keepsAll: false)
            let best = Plan(layout, threadCount: threaded.threadCount, keepsAll: keepsAll)
            self =
                [best, threaded].first { $0.byteCount(layout, side: side) <= limits.maximumWorkingByteCount } ?? least
            try limits.checkWorkingMemory(byteCount(layout, side: side), for: "decoding rows of the JPEG's scans")
        }

        /// The most bytes of coefficients that are kept from one pass to the next: those of 40 megapixels, whose samples take
        /// nearly half as many at full size. Of a larger image each pass reads its scans again.
        private static let mostKeptByteCount = 1 << 27

        /// The working memory, in bytes.
        private func byteCount(_ layout: JPEGCoefficientLayout, side: Int) -> Int {
            JPEGPixelRows.byteCount(layout, side: side, rowsAtOnce: scans.rowsAtOnce) + scans.byteCount(layout)
                + (scans.keepsAll ? JPEGPixelRows.keptByteCount(layout, side: side) : 0)
        }

        /// Reads scans of the script.
        ///
        /// All sampling factors must divide the largest.
        /// - Parameters:
        ///   - isDCAlone: For each component, whether only DC is needed.
        package func read(_ script: JPEGScanScript, isDCAlone: [Bool]) throws(ImageError) -> JPEGSteppedScans {
            let byteCount = scans.byteCount(script, isDCAlone: isDCAlone)
            let memory = try ScratchMemory(bytesPerRow: byteCount, rowCount: 1)
            return JPEGSteppedScans(
                script, isDCAlone: isDCAlone, scans, memory: JPEGSteppedScans.Memory(memory.base, owner: memory))
        }
    }

    /// Prepares to deliver rows of scans that were prepared to be read by the same plan.
    /// - Parameters:
    ///   - bits: Bits of a sample, 8 or 12; those of 12 become channels of 16.
    ///   - side: Pixels on a block's side: 8, 4, 2 or 1.
    ///   - isYCC: Whether the first three of several components are luma and chroma.
    ///   - first: The first row of the image that is needed.
    ///   - isWhole: Whether `write(_:_:from:)` writes all rows in each pass.
    ///   - stopsAtDamage: Whether rows without data aren't delivered.
    package init(
        _ scans: JPEGSteppedScans, _ plan: Plan, bits: Int, side: Int, isYCC: Bool, from first: Int,
        isWhole: Bool, stopsAtDamage: Bool
    ) throws(ImageError) {
        blocks = Blocks(scans, stopsAtDamage: stopsAtDamage)
        self.plan = plan
        let memory =
            plan.scans.keepsAll && bits == 8 && isWhole
            ? try ScratchMemory(bytesPerRow: JPEGPixelRows.keptByteCount(scans.layout, side: side), rowCount: 1) : nil
        rows = try JPEGPixelRows(
            blocks, scans.layout, scans.steps, .init(bits: bits, side: side, isYCC: isYCC), from: first,
            rowsAtOnce: plan.scans.rowsAtOnce, keptIn: memory, threadCount: plan.threadCount)
    }

    /// Begins another pass, over a longer script. All must be kept, and the scans so far have been read to the last row of
    /// MCUs.
    /// - Parameter isLast: Whether all scans are in the script: then rows without data aren't delivered.
    package func readOn(_ script: JPEGScanScript, isLast: Bool) {
        scans.readOn(script)
        rows.restart(scans.steps, changing: scans.isChanged, isLast: isLast)
        blocks.stopsAtDamage = isLast
    }

    /// The image's size at the reduced size.
    package var width: Int { rows.width }
    package var height: Int { rows.height }

    /// The first damage so far, or why the file is incomplete.
    package var failure: JPEGBitstreamError? { scans.failure }

    /// Whether all values so far are such that libjpeg's forms agree about their samples.
    package var isExact: Bool { rows.isExact }

    /// Decodes and writes rows until those of `output` are written, or the next has no data; rows above them are no longer
    /// needed. Returns the number of rows written.
    /// - Parameters:
    ///   - data: The JPEG's bytes, at least those of the scans' data, to their ends.
    ///   - start: The byte of the JPEG at which they begin.
    package func write(_ output: JPEGPixelOutput, _ data: RawSpan, from start: Int) -> Int {
        scans.withData(data, from: start) { rows.write(output) { scans.prepare() }.count }
    }

    /// Reads the scans to the last row of MCUs, for the next pass.
    package func finish(_ data: RawSpan, from start: Int) {
        scans.withData(data, from: start) { scans.readAll(threadCount: plan.threadCount) }
    }

    /// Rows of the image in each strip but the last.
    var stripHeight: Int { 8 * scans.layout.verticalSampling }

    /// Decodes until a row of MCUs is ready; false if it has no data. Rows of the image above `y` are no longer needed.
    func decodeStrip(_ row: Int, past y: Int, _ data: RawSpan, from start: Int) -> Bool {
        scans.withData(data, from: start) {
            while !rows.hasStrip(row) {
                guard rows.advance(past: y, { scans.prepare() }) == .advanced else { return false }
            }
            return true
        }
    }

    /// Writes the samples of a row of MCUs, which is ready and was decoded at full size, as bytes.
    func writeStrip(_ row: Int, to targets: [UnsafeMutablePointer<UInt8>], strides: [Int]) {
        rows.writeStrip(row, to: targets, strides: strides)
    }

    private final class Blocks: JPEGBlockSource {
        let scans: JPEGSteppedScans
        var stopsAtDamage: Bool

        init(_ scans: JPEGSteppedScans, stopsAtDamage: Bool) {
            (self.scans, self.stopsAtDamage) = (scans, stopsAtDamage)
        }

        var knownRowCount: Int { scans.knownRowCount }
        var isDamaged: Bool { false }
        var soundRowCount: Int { stopsAtDamage ? scans.soundRowCount : scans.layout.mcusDown }
        var mustBeExact: Bool { false }
        func read(_ job: Int) { scans.read(job) }
        func join() { scans.join() }
        func drop(before row: Int) {}

        func lend(_ row: Int, _ mcus: Range<Int>, slot: Int, to body: LentBlocks) {
            let (coefficients, masks) = scans.blocks(ofRow: row)
            for (index, component) in scans.layout.components.enumerated() {
                for y in 0..<component.down {
                    let block = component.start + y * component.stride + mcus.lowerBound * component.across
                    body(index, y, coefficients + component.place(of: block), masks + block)
                }
            }
        }
    }
}

extension JPEGSteppedScans {
    /// Reads all rows while bytes are lent.
    package func readAll(threadCount: Int) {
        var isBegun = false
        Rounds.perform(threadCount: threadCount) {
            if isBegun { join() }
            isBegun = true
            return prepare()
        } _: {
            read($0)
        }
    }
}
