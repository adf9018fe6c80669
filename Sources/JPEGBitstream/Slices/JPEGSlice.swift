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
        /// The bit behind it.
        var end = 0
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
    var words: UnsafeMutablePointer<UInt32>
    var wordCapacity = 1 << 14
    var marks: UnsafeMutablePointer<Mark>
    var markCapacity = 1 << 10
    var markCount = 0
    var wordCount = 0
    /// Where it stopped.
    var state = State()
    /// Whether it stopped at data that can't be read.
    var isDamaged: Bool { stop == .damage }
    /// At least the largest of its sums, of either sign.
    var reach = 0

    let tables: JPEGSliceTables
    /// The sums of DC differences of up to four components.
    let sums: UnsafeMutablePointer<Int>

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

    /// MCUs that are read without a decision in between.
    struct Stretch {
        /// The data's first bit; the others count from there.
        let start: Int
        /// Reading ends before the first MCU that begins there or after it.
        let end: Int
        /// The bit that no MCU may pass.
        let limit: Int
        /// The most MCUs.
        let mostCount: Int
    }

    /// The end of reading: at the first MCU that begins at `end` or after it, at a mark of the next slice, or after a
    /// number of MCUs.
    private struct Goal {
        var end = 0
        var next: JPEGSlice?
        var nextMark = 0
        var limit = Int.max
        var guessesLeft = 0
    }

    private var goal = Goal()
    /// Why it stopped.
    private(set) var stop = Stop.end

    /// Prepares to read from a state to the first MCU that begins at `end` or after it.
    /// - Parameter isGuess: Whether the state is a guess: then reading goes on one bit further where the data is invalid, and
    ///   what was read is dropped.
    func begin(at state: State, _ input: Input, until end: Int, isGuess: Bool) {
        self.state = state
        markCount = 0
        wordCount = 0
        reach = 0
        goal = Goal(end: end)
        if isGuess, tables.restartInterval == 0, input.restarts.isEmpty { goal.guessesLeft = Self.maximumGuessCount }
        loadSums()
    }

    /// Reads on, until the next MCU begins at a mark of the next slice, or at `end`, or `limit` MCUs have been read.
    ///
    /// The first bit that can't be read is the state's position after damage.
    func read(_ input: Input, until end: Int, meeting next: JPEGSlice?, limit: Int) -> Stop {
        goal = Goal(end: end, next: next, limit: limit)
        loadSums()
        Self.read(self, nil, input)
        goal.next = nil
        return stop
    }

    private func loadSums() {
        for index in 0..<4 { sums[index] = Int(Int16(truncatingIfNeeded: state.sums >> UInt64(16 * index))) }
    }

    /// Chooses what is read next; nil if the goal is reached, and then says why in `stop`.
    func nextStretch(_ input: Input) -> Stretch? {
        stop = .end
        while markCount < goal.limit {
            if state.untilRestart == 0 {
                // The marker may not have arrived.
                if state.position >= goal.end { return nil }
                guard passRestart(input) else {
                    stop = .damage
                    return nil
                }
                continue
            }
            if let next = goal.next {
                while goal.nextMark < next.markCount, next.marks[goal.nextMark].position < state.position {
                    goal.nextMark += 1
                }
                // Behind a restart marker every slice begins in step, and only there.
                if goal.nextMark < next.markCount, next.marks[goal.nextMark].position == state.position,
                    tables.restartInterval == 0
                        || goal.nextMark == 0 && state.untilRestart == tables.restartInterval
                {
                    stop = .met(goal.nextMark)
                    return nil
                }
            }
            if state.position >= goal.end { return nil }
            // Up to the end, or to the next mark that may be met.
            var end = goal.end
            if let next = goal.next, goal.nextMark < next.markCount {
                end = min(end, max(next.marks[goal.nextMark].position, state.position + 1))
            }
            // There is a margin behind `end`, and behind each MCU that begins before it.
            let start = input.data.start * 8
            return Stretch(
                start: start, end: end - start, limit: restartLimit(input) - start,
                mostCount: min(goal.limit - markCount, state.untilRestart))
        }
        return nil
    }

    /// Takes over where reading a stretch ended, at a bit and after a number of MCUs; false if the data can't be read there.
    func end(at position: Int, mcuCount: Int, isSound: Bool, _ input: Input) -> Bool {
        state.position = position
        guard isSound else {
            // Behind the scan's last MCU there are some bits more.
            let isNearEnd = input.data.isEnded && position + tables.margin * 8 >= input.data.end * 8
            guard goal.guessesLeft > 0, !isNearEnd, position + 1 < goal.end else {
                stop = .damage
                return false
            }
            goal.guessesLeft -= 1
            state = State(position: position + 1)
            markCount = 0
            wordCount = 0
            loadSums()
            return true
        }
        state.untilRestart = tables.restartInterval > 0 ? state.untilRestart &- mcuCount : .max
        state.sums = 0
        for index in 0..<4 { state.sums |= UInt64(UInt16(truncatingIfNeeded: sums[index])) << UInt64(16 * index) }
        return true
    }

    /// The words of the largest MCU: a block has 64 at most, and one more may be written behind the last.
    var mostWordsInMCU: Int { 64 * tables.blocks.count + 1 }

    /// Makes room for another MCU.
    func reserve() {
        while wordCount + mostWordsInMCU > wordCapacity {
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
}
