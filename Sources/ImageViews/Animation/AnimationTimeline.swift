/// An animation's position and its future, in integer nanoseconds, so that times compare exactly.
package struct AnimationTimeline: Sendable {
    package typealias Direction = AnimationPlayer.Direction

    /// The start of each frame, and the end of the last.
    package private(set) var starts: [Int64] = [0]
    /// Whether all frames have arrived.
    package private(set) var isFinished = false
    /// The number of loops, 0 for endless.
    package var loopCount = 0
    package private(set) var direction = Direction.forward
    package private(set) var position: Int64 = 0
    package private(set) var isForward = true
    package private(set) var finishedLoopCount = 0
    /// Whether all loops are over.
    package private(set) var hasEnded = false

    package init() {}

    package var frameCount: Int { starts.count - 1 }
    private var end: Int64 { starts[starts.count - 1] }

    /// Whether it waits for frames that haven't arrived.
    package var isStalled: Bool { !isFinished && isForward && position == end }

    /// Appends frames that have arrived.
    package mutating func update(durations: [Double], isFinished: Bool) {
        let atEnd = direction == .reverse && isAtBeginning
        for duration in durations.dropFirst(frameCount) {
            let seconds = duration.isFinite ? duration.clamped(to: 0.001...86_400) : 0.1
            starts.append(end + Int64((seconds * 1e9).rounded()))
        }
        self.isFinished = isFinished
        if atEnd { position = end }
    }

    private var isAtBeginning: Bool { finishedLoopCount == 0 && position == (direction == .reverse ? end : 0) }

    /// Changes the direction at the current position, or restarts if it is still at the beginning.
    package mutating func turn(_ direction: Direction) {
        guard direction != self.direction else { return }
        let hadNotBegun = isAtBeginning
        self.direction = direction
        switch direction {
        case .forward: isForward = true
        case .reverse: isForward = false
        case .bounce: break
        }
        if hadNotBegun { restart() }
    }

    /// Moves to the beginning.
    package mutating func restart() {
        isForward = direction != .reverse
        position = isForward ? 0 : end
        finishedLoopCount = 0
        hasEnded = false
    }

    /// Moves to the beginning of a frame.
    package mutating func seek(toFrame index: Int) {
        leaveEnd()
        let index = min(max(0, index), max(0, frameCount - 1))
        position = isForward || frameCount == 0 ? starts[index] : starts[index + 1]
    }

    /// Moves to a time, counted from the first frame's beginning.
    package mutating func seek(to place: Int64) {
        leaveEnd()
        position = min(max(0, place), end)
    }

    private mutating func leaveEnd() {
        if hasEnded { finishedLoopCount = 0 }
        hasEnded = false
    }

    // MARK: The frame

    /// The current frame. An instant between two frames belongs to the later one in the order of play.
    package var frameIndex: Int {
        // A binary search for the number of starts before the position, or at it.
        var (low, high) = (0, frameCount)
        while low < high {
            let middle = (low + high) / 2
            if isForward ? starts[middle] <= position : starts[middle] < position {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return max(0, low - 1)
    }

    /// The time until another frame is due or the animation ends; nil if no change is due.
    package var untilChange: Int64? {
        guard !hasEnded, frameCount > 1 else { return nil }
        let index = frameIndex
        if isForward { return !isFinished && index == frameCount - 1 ? nil : starts[index + 1] - position }
        return position - starts[index]
    }

    /// The frame shown before `index` in endless play.
    package func frame(before index: Int) -> Int {
        let last = frameCount - 1
        guard last > 0 else { return 0 }
        switch direction {
        case .forward: return index > 0 ? index - 1 : last
        case .reverse: return index < last ? index + 1 : 0
        case .bounce:
            if isForward { return index > 0 ? index - 1 : 1 }
            return index < last ? index + 1 : last - 1
        }
    }

    /// The frames that follow, each once, and the time until each is due; at most `count`.
    package func upcoming(_ count: Int) -> [(frame: Int, wait: Int64)] {
        var (ahead, wait, result) = (self, Int64(0), [(frame: Int, wait: Int64)]())
        var seen = [Bool](repeating: false, count: frameCount)
        guard frameCount > 0 else { return [] }
        seen[frameIndex] = true
        var steps = 2 * frameCount
        while result.count < count, steps > 0, let step = ahead.untilChange {
            steps -= 1
            wait += max(step, 1)
            ahead.advance(by: max(step, 1))
            let frame = ahead.frameIndex
            if !seen[frame] {
                seen[frame] = true
                result.append((frame, wait))
            }
        }
        return result
    }

    // MARK: Time

    /// Advances by `time` nanoseconds.
    package mutating func advance(by time: Int64) {
        guard frameCount > 1 else { return }
        var left = skipCycles(time)
        while left > 0, !hasEnded {
            let room = isForward ? end - position : position
            guard left >= room else {
                position += isForward ? left : -left
                return
            }
            left -= room
            position = isForward ? end : 0
            // More frames will come; it waits for them.
            if isForward, !isFinished { return }
            finishPass()
        }
    }

    private mutating func finishPass() {
        finishedLoopCount += 1
        if loopCount > 0, finishedLoopCount >= loopCount {
            hasEnded = true
            return
        }
        switch direction {
        case .forward: (position, isForward) = (0, true)
        case .reverse: (position, isForward) = (end, false)
        case .bounce:
            // The frame at the end was just shown.
            position = isForward ? starts[frameCount - 1] : starts[1]
            isForward.toggle()
        }
    }

    /// Skips whole cycles, which end where they began.
    private mutating func skipCycles(_ time: Int64) -> Int64 {
        guard isFinished else { return time }
        let passes = direction == .bounce ? 2 : 1
        let ends = starts[1] + end - starts[frameCount - 1]
        let cycle = direction == .bounce ? 2 * end - ends : end
        var count = time / cycle - 1
        if loopCount > 0 { count = min(count, Int64((loopCount - finishedLoopCount) / passes) - 2) }
        guard count > 0 else { return time }
        finishedLoopCount += Int(count) * passes
        return time - count * cycle
    }
}
