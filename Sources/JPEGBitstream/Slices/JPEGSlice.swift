/// A part of a sequential scan's data, read from any bit: its MCUs, with DC relative to that of the first.
///
/// A reader that starts within a code soon falls in step with the true sequence of MCUs, since Huffman codes synchronise
/// themselves (S. T. Klein and Y. Wiseman, "Parallel Huffman Decoding with Applications to JPEG Files", 2003). It has
/// where the reader of the slice before arrives at one of its marks.
final class JPEGSlice: @unchecked Sendable {
    // Unchecked: one thread at a time uses a slice.

    /// Where an MCU begins.
    struct Mark {
        /// The first bit, from the scan's first without stuffed zeros and restart markers.
        let position: Int
        /// The sums of DC differences before it, 16 bits for each component of the scan.
        let sums: UInt64
        /// Its first word.
        let word: Int
    }

    /// Where reading stands between two MCUs.
    struct State {
        var position = 0
        var sums: UInt64 = 0
        /// MCUs to the next restart marker, and the number of markers before it.
        var untilRestart = Int.max
        var restarts = 0
    }

    /// Data to read from.
    struct Input {
        var data: JPEGFlatData
        /// The restart markers in it from this one on.
        var restarts: [JPEGFlatData.Gap] = []
        var firstRestart = 0
    }

    /// How often reading goes on behind invalid data before the slice is left to the reader of the one before: a limit to
    /// the work, far above what getting in step takes.
    private static let maximumGuessCount = 1000

    /// Why reading stopped.
    enum Stop: Equatable {
        /// At the requested end, or after the requested number of MCUs.
        case end
        /// At a mark of the next slice, with this index.
        case met(Int)
        /// At data that can't be read.
        case damage
    }

    /// For each block a word with DC in its upper half and the number of coefficients in its lower; then these, each with
    /// its value in the upper half and its place in zigzag order in the lower.
    private(set) var words: UnsafeMutablePointer<UInt32>
    private var wordCapacity = 1 << 14
    private(set) var marks: UnsafeMutablePointer<Mark>
    private var markCapacity = 1 << 10
    private(set) var markCount = 0
    private var wordCount = 0
    /// Where it stopped.
    private(set) var state = State()
    /// Whether it stopped at data that can't be read.
    private(set) var isDamaged = false

    private let tables: JPEGSliceTables
    /// The sums of DC differences of up to four components.
    private let sums: UnsafeMutablePointer<Int>

    init(_ tables: JPEGSliceTables) {
        self.tables = tables
        words = .allocate(capacity: wordCapacity)
        marks = .allocate(capacity: markCapacity)
        sums = .allocate(capacity: 4)
    }

    deinit {
        words.deallocate()
        marks.deallocate()
        sums.deallocate()
    }

    /// Reads from a state to the first MCU that begins at `end` or after it.
    /// - Parameter isGuess: Whether the state is a guess: then reading goes on one bit further where the data is invalid, and
    ///   what was read is dropped.
    func begin(at state: State, _ input: Input, until end: Int, isGuess: Bool) {
        self.state = state
        markCount = 0
        wordCount = 0
        isDamaged = false
        var guessesLeft = isGuess && tables.restartInterval == 0 && input.restarts.isEmpty ? Self.maximumGuessCount : 0
        while read(input, until: end, meeting: nil, limit: .max) == .damage {
            // Behind the scan's last MCU there are some bits more.
            let isNearEnd = input.data.isEnded && self.state.position + tables.margin * 8 >= input.data.end * 8
            guard guessesLeft > 0, !isNearEnd, self.state.position + 1 < end else {
                isDamaged = true
                return
            }
            guessesLeft -= 1
            self.state = State(position: self.state.position + 1)
            markCount = 0
            wordCount = 0
        }
    }

    /// Reads on, until the next MCU begins at a mark of the next slice, or at `end`, or `limit` MCUs have been read.
    ///
    /// The first bit that can't be read is the state's position after damage.
    func read(_ input: Input, until end: Int, meeting next: JPEGSlice?, limit: Int) -> Stop {
        let start = input.data.start * 8
        for index in 0..<4 { sums[index] = Int(Int16(truncatingIfNeeded: state.sums >> UInt64(16 * index))) }
        var nextMark = 0
        while true {
            if markCount >= limit { return .end }
            if state.untilRestart == 0 {
                // The marker may not have arrived.
                if state.position >= end { return .end }
                guard passRestart(input) else { return .damage }
                continue
            }
            if let next {
                while nextMark < next.markCount, next.marks[nextMark].position < state.position { nextMark += 1 }
                // Behind a restart marker every slice begins in step, and only there.
                if nextMark < next.markCount, next.marks[nextMark].position == state.position,
                    tables.restartInterval == 0 || nextMark == 0 && state.untilRestart == tables.restartInterval
                {
                    return .met(nextMark)
                }
            }
            if state.position >= end { return .end }
            // Up to the end, or to the next mark that may be met.
            var stop = end
            if let next, nextMark < next.markCount {
                stop = min(stop, max(next.marks[nextMark].position, state.position + 1))
            }
            let last = restartLimit(input)
            let most = min(limit - markCount, state.untilRestart)
            // There is a margin behind `end`, and behind each MCU that begins before it.
            let isSound = read(
                input.data.bytes.span.bytes, until: stop - start, limit: last - start, most: most, start)
            guard isSound else { return .damage }
        }
    }

    /// The bit that must not be passed: that of the next restart marker, or the end of the data.
    private func restartLimit(_ input: Input) -> Int {
        let index = state.restarts - input.firstRestart
        return (index < input.restarts.count ? input.restarts[index].place : input.data.end) * 8
    }

    /// Goes on behind the restart marker; false if it isn't there.
    private func passRestart(_ input: Input) -> Bool {
        let (place, index) = ((state.position + 7) >> 3, state.restarts - input.firstRestart)
        guard index < input.restarts.count, input.restarts[index].place == place,
            input.restarts[index].restart == UInt8(state.restarts & 7)
        else { return false }
        state = State(
            position: place * 8, sums: 0, untilRestart: tables.restartInterval, restarts: state.restarts + 1)
        for index in 0..<4 { sums[index] = 0 }
        return true
    }

    /// Makes room for another MCU.
    @inline(__always)
    private func reserve() {
        if wordCount &+ 64 &* tables.blocks.count > wordCapacity {
            let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * wordCapacity)
            larger.moveInitialize(from: words, count: wordCount)
            words.deallocate()
            (words, wordCapacity) = (larger, 2 * wordCapacity)
        }
        if markCount == markCapacity {
            let larger = UnsafeMutablePointer<Mark>.allocate(capacity: 2 * markCapacity)
            larger.moveInitialize(from: marks, count: markCount)
            marks.deallocate()
            (marks, markCapacity) = (larger, 2 * markCapacity)
        }
    }

    /// Reads MCUs until one begins at `end` or after it, at most `most`; false for invalid data.
    private func read(
        _ data: RawSpan, until end: Int, limit: Int, most: Int, _ start: Int
    ) -> Bool {
        let (blocks, blockCount) = (tables.blocks.baseAddress!, tables.blocks.count)
        let (dc, ac, skips) = (tables.dc.baseAddress!, tables.ac.baseAddress!, tables.skips.baseAddress!)
        let sums = sums
        var reader = JPEGFlatReader(data, at: state.position - start)
        var left = most
        while left > 0 {
            let position = reader.position
            if position >= end { break }
            reserve()
            let words = words
            var at = wordCount
            var packed: UInt64 = 0
            for index in 0..<4 {
                packed |= UInt64(UInt16(truncatingIfNeeded: sums[index])) &<< UInt64(truncatingIfNeeded: 16 &* index)
            }
            marks[markCount] = Mark(position: position &+ start, sums: packed, word: at)
            var isSound = true
            for index in 0..<blockCount {
                let block = blocks + index
                reader.fill()
                var entry = dc[block.pointee.dcStart &+ Int(truncatingIfNeeded: reader.bits &>> JPEGSymbolTable.shift)]
                if entry == 0 {
                    entry = JPEGSymbolTable.longEntry(of: reader.bits, in: tables.tables[block.pointee.dc], isDC: true)
                    if entry == 0 {
                        isSound = false
                        break
                    }
                }
                sums[block.pointee.member] &+= JPEGSymbolTable.value(of: reader.bits, entry)
                reader.drop(Int(entry & 63))
                let head = at
                at &+= 1
                var place = 1
                if block.pointee.isFlat {
                    while place < 64 {
                        reader.fill()
                        let window = Int(truncatingIfNeeded: reader.bits &>> JPEGSkippingTable.shift)
                        let skip = skips[block.pointee.skipStart &+ window]
                        let next = place &+ Int(skip &>> 8)
                        if next <= 64 || JPEGSymbolTable.isEnd(next) {
                            reader.drop(Int(skip & 63))
                            place = next
                        } else {
                            // A long code, or several that would read on into the next block.
                            let step = JPEGSymbolTable.longEntry(
                                of: reader.bits, in: tables.tables[block.pointee.ac], isDC: false)
                            if step == 0 {
                                place = .max
                                break
                            }
                            place &+= Int(step &>> 8 & 0xFF)
                            reader.drop(Int(step & 63))
                        }
                    }
                } else {
                    let ac = ac + block.pointee.acStart
                    while place < 64 {
                        reader.fill()
                        entry = ac[Int(truncatingIfNeeded: reader.bits &>> JPEGSliceTables.shift)]
                        if entry & JPEGSliceTables.hasValue != 0 {
                            place &+= Int(entry &>> 8 & 0xFF)
                            words[at] = entry & 0xFFFF_0000 | UInt32(truncatingIfNeeded: place &- 1)
                            at &+= 1
                            reader.drop(Int(entry & 63))
                            continue
                        }
                        if entry == 0 {
                            entry = JPEGSymbolTable.longEntry(
                                of: reader.bits, in: tables.tables[block.pointee.ac], isDC: false)
                            if entry == 0 {
                                place = .max
                                break
                            }
                        }
                        place &+= Int(entry &>> 8 & 0xFF)
                        if entry &>> 24 != 0 {
                            let value = UInt32(
                                UInt16(truncatingIfNeeded: JPEGSymbolTable.value(of: reader.bits, entry)))
                            words[at] = value &<< 16 | UInt32(truncatingIfNeeded: place &- 1)
                            at &+= 1
                        }
                        reader.drop(Int(entry & 63))
                    }
                }
                if place != 64, !JPEGSymbolTable.isEnd(place) {
                    isSound = false
                    break
                }
                let level = UInt32(UInt16(truncatingIfNeeded: sums[block.pointee.member]))
                words[head] = level &<< 16 | UInt32(truncatingIfNeeded: at &- head &- 1)
            }
            guard isSound, reader.position <= limit else {
                state.position = reader.position &+ start
                return false
            }
            wordCount = at
            markCount &+= 1
            left &-= 1
        }
        state.position = reader.position &+ start
        state.untilRestart = tables.restartInterval > 0 ? state.untilRestart &- (most &- left) : .max
        state.sums = 0
        for index in 0..<4 { state.sums |= UInt64(UInt16(truncatingIfNeeded: sums[index])) << UInt64(16 * index) }
        return true
    }
}
