/// Decodes the one scan of a sequential, Huffman-coded JPEG in slices that are read concurrently, without restart markers.
///
/// Each slice is read from a guessed start (see `JPEGSlice`), then the slices are joined in order: the reader of each
/// goes on until it meets the next in step. Where it doesn't, it reads on through the next slice. So the MCUs are those of
/// reading the scan from its start to its end, however many slices there are.
///
/// It has no threads: the caller calls `read(_:)` for each pair of slices of a batch, on any threads, then `join()`. One more
/// thread may unpack the next batch's bytes meanwhile.
package final class JPEGSlicedScan: @unchecked Sendable {
    // Unchecked: the caller calls only `read(_:)`, `lookAhead` and `expand` concurrently, which change disjoint memory.

    /// Where the blocks lie; of components of which only DC is needed, it is there alone.
    package let layout: JPEGCoefficientLayout
    /// The MCUs that are known so far.
    package private(set) var mcuCount = 0
    /// The MCUs of the image.
    package let totalCount: Int
    /// Whether the scan can't be read behind the MCUs that are known.
    package private(set) var isDamaged = false

    /// The index of the MCUs that are known; nil if none is made, and where it can't be.
    package internal(set) var index: JPEGTileIndex?

    let tables: JPEGSliceTables
    private let sliceCount: Int
    private let sliceByteCount: Int
    var input: JPEGSlice.Input
    /// The bytes of the scan that were taken.
    package private(set) var taken = 0
    /// Where the next batch begins.
    private var state = JPEGSlice.State()
    /// The slices of the batch, the first of which begins at `state`.
    private var batch: [JPEGSlice] = []
    private var starts: [JPEGSlice.State] = []
    /// The bit up to which the batch is read.
    private var end = 0
    private var spare: [JPEGSlice] = []
    /// The data of the next batch, nil unless it was looked for; the bytes that it takes, and whether they are the last.
    private var ahead: JPEGFlatData?
    private var aheadByteCount = 0
    private var aheadIsLast = false
    private var memory: [UInt8] = []
    private var runs: [Run] = []

    /// Consecutive MCUs of a slice.
    struct Run {
        let slice: JPEGSlice
        /// Its first mark that counts, and that mark's MCU in the image.
        let firstMark: Int
        let mcus: Range<Int>
        /// The number to add to each component's DC, 16 bits each.
        let base: UInt64

        /// An MCU's mark.
        func mark(of mcu: Int) -> JPEGSlice.Mark { slice.marks[firstMark + mcu - mcus.lowerBound] }

        /// The words from an MCU on; those of the following MCUs come after them.
        func words(from mcu: Int) -> UnsafeMutablePointer<UInt32> { slice.words + mark(of: mcu).word }
    }

    /// Whether a script is of one sequential scan that has all components.
    package static func canRead(_ script: JPEGScanScript) -> Bool {
        let components = script.layout.components
        guard script.failure == nil, let cursor = script.cursors.first, script.cursors.count == 1,
            cursor.content == .blocks, cursor.members.count == components.count
        else { return false }
        // A component alone is coded block by block, whatever its sampling.
        return components.count > 1 || components[0].across * components[0].down == 1
    }

    /// Prepares to decode; nil unless it can read the script.
    /// - Parameters:
    ///   - neededCounts: For each component, how many coefficients of a block are needed, in zigzag order.
    ///   - sliceCount: The number of slices of a batch: two for each thread and more.
    ///   - sliceByteCount: The bytes of a slice: many times those that getting in step takes.
    package init?(_ script: JPEGScanScript, neededCounts: [Int], sliceCount: Int, sliceByteCount: Int) {
        guard Self.canRead(script) else { return nil }
        layout = script.layout.strip(isDCAlone: neededCounts.map { $0 == 1 })
        self.sliceCount = max(1, sliceCount)
        self.sliceByteCount = sliceByteCount
        totalCount = layout.mcusAcross * layout.mcusDown
        tables = JPEGSliceTables(script, script.cursors[0], neededCounts: neededCounts)
        input = JPEGSlice.Input(
            data: JPEGFlatData(margin: tables.margin, pieceByteCount: self.sliceCount * sliceByteCount))
        if tables.restartInterval > 0 { state.untilRestart = tables.restartInterval }
    }

    /// The most bytes that a batch takes.
    package var batchByteCount: Int { sliceCount * sliceByteCount }

    /// Takes the next bytes and divides them into slices.
    /// - Parameters:
    ///   - data: The scan's data so far; those before the byte `taken` aren't needed.
    ///   - start: The scan's byte at which they begin.
    ///   - isFinished: Whether that is all.
    /// - Returns: The number of pairs of slices, each of which must be read before `join()`; nil if more bytes must arrive.
    package func prepare(_ data: RawSpan, from start: Int = 0, isFinished: Bool) -> Int? {
        let (range, isLast) = next(of: data, from: start, isFinished: isFinished)
        // While bytes arrive slowly, their rows don't wait for a whole batch.
        guard range.count >= max(1, min(sliceByteCount / 8, 1 << 12)) || isFinished else { return nil }
        input.data.skip(to: state.position >> 3, keepingRestart: keepsRestart)
        input.data.take(data.extracting(range), droppingBefore: state.position >> 3)
        return begin(range.count, isLast: isLast)
    }

    /// Takes the bytes that were unpacked ahead, as `prepare(_:from:isFinished:)` does; nil without any.
    package func prepareAhead() -> Int? {
        // Taken out and passed on, so that its bytes have one owner and aren't copied.
        guard let next = ahead.take() else { return nil }
        input.data.skip(to: state.position >> 3, keepingRestart: keepsRestart)
        memory = input.data.take(following: next, droppingBefore: state.position >> 3)
        return begin(aheadByteCount, isLast: aheadIsLast)
    }

    /// Unpacks the bytes of the next batch for `prepareAhead()`, if all of them are there. The parameters are those of
    /// `prepare(_:from:isFinished:)`.
    package func lookAhead(_ data: RawSpan, from start: Int, isFinished: Bool) {
        let (range, isLast) = next(of: data, from: start, isFinished: isFinished)
        guard ahead == nil, !range.isEmpty, range.count == batchByteCount || isLast else { return }
        var memory: [UInt8] = []
        swap(&memory, &self.memory)
        ahead = input.data.following(data.extracting(range), in: memory)
        (aheadByteCount, aheadIsLast) = (range.count, isLast)
    }

    /// The range of the next batch in `data`, and whether it is the last one's.
    private func next(of data: RawSpan, from start: Int, isFinished: Bool) -> (Range<Int>, isLast: Bool) {
        let first = taken - start
        let end = max(first, min(first + batchByteCount, data.byteCount))
        return (first..<end, isLast: isFinished && end == data.byteCount)
    }

    private var keepsRestart: Bool { tables.restartInterval == 0 || state.untilRestart == 0 }

    /// Begins a batch, of which `count` bytes were taken.
    private func begin(_ count: Int, isLast: Bool) -> Int {
        taken += count
        if isLast { input.data.finish(isTruncated: true) }
        input.restarts = input.data.gaps.filter { $0.restart != nil }
        input.firstRestart = state.restarts
        end = input.data.isEnded ? input.data.end * 8 : max(state.position, (input.data.end - tables.margin) * 8)
        divide()
        return (batch.count + 1) / 2
    }

    /// Chooses where slices begin: at equal distances, or at the next restart marker.
    private func divide() {
        let first = state.position >> 3
        let byteCount = max(0, end >> 3 - first)
        let count = max(1, min(sliceCount, byteCount / max(1, min(sliceByteCount / 2, 1 << 14))))
        starts = [state]
        for index in 1..<max(count, 1) {
            let place = first + byteCount * index / count
            guard tables.restartInterval > 0 else {
                starts.append(JPEGSlice.State(position: place * 8))
                continue
            }
            guard let marker = input.restarts.firstIndex(where: { $0.place >= place }) else { break }
            let position = input.restarts[marker].place * 8
            guard position > starts.last!.position, position < end else { continue }
            starts.append(
                JPEGSlice.State(
                    position: position, untilRestart: tables.restartInterval,
                    restarts: input.firstRestart + marker + 1))
        }
        batch = starts.map { _ in spare.popLast() ?? JPEGSlice(tables) }
    }

    /// Reads a pair of slices of the batch.
    package func read(_ pair: Int) {
        let pair = (2 * pair)..<min(2 * pair + 2, batch.count)
        for index in pair {
            let stop = index + 1 < starts.count ? starts[index + 1].position : end
            batch[index].begin(at: starts[index], input, until: stop, isGuess: index > 0)
        }
        JPEGSlice.read(batch[pair.lowerBound], pair.count > 1 ? batch[pair.lowerBound + 1] : nil, input)
    }

    /// Joins the slices that were read, and counts their MCUs.
    package func join() {
        var index = 0
        // The first mark of the slice that counts, and what its sums lack.
        var (firstMark, base) = (0, UInt64(0))
        var passed = Gaps(first: 0, skipped: input.data.skipped)
        while index < batch.count, !isDamaged, mcuCount < totalCount {
            let slice = batch[index]
            let limit = firstMark + totalCount - mcuCount
            var stop = slice.isDamaged ? JPEGSlice.Stop.damage : .end
            var next = index + 1
            while stop == .end, next < batch.count, slice.markCount < limit {
                // Where the next isn't met at all, the one behind it may be.
                let until = next + 1 < starts.count ? starts[next + 1].position : end
                stop = slice.read(input, until: until, meeting: batch[next], limit: limit)
                if stop == .end { next += 1 }
            }
            let count = min(slice.markCount, limit) - firstMark
            if count > 0 {
                let run = Run(slice: slice, firstMark: firstMark, mcus: mcuCount..<(mcuCount + count), base: base)
                runs.append(run)
                mcuCount += count
                record(run, &passed)
            }
            state = slice.state
            state.sums = Self.sum(base, slice.state.sums)
            switch stop {
            case .met(let mark):
                // The met slice's sums begin at zero.
                base = Self.sum(state.sums, Self.negative(batch[next].marks[mark].sums))
                firstMark = mark
                index = next
            case .damage:
                isDamaged = mcuCount < totalCount
                index = batch.count
            case .end:
                index = batch.count
            }
        }
        if input.data.isEnded, mcuCount < totalCount { isDamaged = true }
        let used = Set(runs.map { ObjectIdentifier($0.slice) })
        spare += batch.filter { !used.contains(ObjectIdentifier($0)) }
        batch = []
    }

    /// Forgets the MCUs before one.
    package func drop(before mcu: Int) {
        while let run = runs.first, run.mcus.upperBound <= mcu {
            spare.append(run.slice)
            runs.removeFirst()
        }
    }

    /// Sums of four components, each modulo 2¹⁶.
    static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let low: UInt64 = 0x7FFF_7FFF_7FFF_7FFF
        return ((left & low) &+ (right & low)) ^ ((left ^ right) & ~low)
    }

    private static func negative(_ sums: UInt64) -> UInt64 { sum(~sums, 0x0001_0001_0001_0001) }
}

extension JPEGSlicedScan {
    /// Where the blocks of a number of consecutive MCUs go.
    package struct Places: Sendable {
        /// The layout of a row of that many MCUs.
        package let layout: JPEGCoefficientLayout
        fileprivate let targets: [Target]

        /// A block of an MCU: its number and the place of its coefficients in the first MCU, and from there to the next MCU's.
        fileprivate struct Target {
            let block: Int
            let place: Int
            let blockStep: Int
            let placeStep: Int
            /// The halves of the block, of four rows, that the needed coefficients lie in; 0 for DC alone.
            let halfCount: Int
        }
    }

    /// The places of the blocks of up to `count` MCUs.
    package func places(of count: Int) -> Places {
        let layout = layout.strip(mcusAcross: count)
        let targets = tables.blocks.map { block in
            let component = layout.components[block.component]
            let first = component.start + block.y * component.stride + block.x
            let lastRow = (0..<block.neededCount).map { Int(tables.order[$0]) / 8 }.max() ?? 0
            return Places.Target(
                block: first, place: component.place(of: first), blockStep: component.across,
                placeStep: component.across * component.coefficientsPerBlock,
                halfCount: component.coefficientsPerBlock == 1 ? 0 : lastRow / 4 + 1)
        }
        return Places(layout: layout, targets: targets)
    }

    /// Writes the blocks of consecutive MCUs, which are known: the needed coefficients in natural order, and for each block a mask
    /// with the bit of the last AC coefficient that isn't zero, by its place in zigzag order.
    ///
    /// Of the coefficients that aren't needed, any may be left as they were or written.
    package func expand(
        _ mcus: Range<Int>, to places: Places, _ coefficients: UnsafeMutablePointer<Int16>,
        _ masks: UnsafeMutablePointer<UInt64>
    ) {
        var mcu = mcus.lowerBound
        while mcu < mcus.upperBound {
            // Runs are few, and in order.
            guard let run = runs.first(where: { $0.mcus.contains(mcu) }) else { return }
            let end = min(mcus.upperBound, run.mcus.upperBound)
            places.targets.withUnsafeBufferPointer { targets in
                expand(
                    run.words(from: mcu), count: end - mcu, column: mcu - mcus.lowerBound, base: run.base,
                    targets.baseAddress!, coefficients, masks)
            }
            mcu = end
        }
    }

    /// Writes the blocks of MCUs whose words follow each other.
    private func expand(
        _ words: UnsafeMutablePointer<UInt32>, count: Int, column: Int, base: UInt64,
        _ targets: UnsafePointer<Places.Target>, _ coefficients: UnsafeMutablePointer<Int16>,
        _ masks: UnsafeMutablePointer<UInt64>
    ) {
        let (blocks, blockCount, order) = (tables.blocks.baseAddress!, tables.blocks.count, tables.order)
        var words = words
        for column in column..<(column &+ count) {
            for index in 0..<blockCount {
                let target = targets[index]
                let block = target.block &+ column &* target.blockStep
                let values = coefficients + (target.place &+ column &* target.placeStep)
                let head = words.pointee
                words += 1
                // Without a loop, which would become a call of memset.
                let bytes = UnsafeMutableRawPointer(values)
                if target.halfCount > 0 { bytes.storeBytes(of: .zero, as: SIMD32<Int16>.self) }
                if target.halfCount > 1 { bytes.storeBytes(of: .zero, toByteOffset: 64, as: SIMD32<Int16>.self) }
                let base = base &>> UInt64(truncatingIfNeeded: 16 &* blocks[index].member)
                let level = UInt16(truncatingIfNeeded: head &>> 16) &+ UInt16(truncatingIfNeeded: base)
                values[0] = Int16(bitPattern: level)
                let last = words + Int(head & 0xFFFF)
                guard words < last else {
                    masks[block] = 0
                    continue
                }
                var place = 0
                repeat {
                    let word = words.pointee
                    words += 1
                    // A block's places are at most 63.
                    place = Int(word & 63)
                    values[Int(order[place])] = Int16(truncatingIfNeeded: word &>> 16)
                } while words < last
                masks[block] = 1 &<< UInt64(truncatingIfNeeded: place)
            }
        }
    }
}
