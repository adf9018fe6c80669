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
    private(set) var isDamaged = false
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

    /// Reads from a state to the first MCU that begins at `end` or after it.
    /// - Parameter isGuess: Whether the state is a guess: then reading goes on one bit further where the data is invalid, and
    ///   what was read is dropped.
    func begin(at state: State, _ input: Input, until end: Int, isGuess: Bool) {
        self.state = state
        markCount = 0
        wordCount = 0
        isDamaged = false
        reach = 0
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
}
