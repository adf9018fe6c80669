public import ImageLoading
public import Observation
public import Raster

/// Plays an animation by the clock: shows the frame that is due, or the newest decoded one before it, and never slows
/// down.
///
/// It has no timer. The view calls `tick` when it draws, or at `nextDeadline`, with the time of a monotonic clock that
/// all players of a pool share. Frames are decoded elsewhere; `image` changes when one arrives that is due. While an
/// animation is still arriving, it waits at its last frame for more.
@MainActor @Observable public final class AnimationPlayer {
    /// The direction of play.
    public enum Direction: Hashable, Sendable {
        /// From the first frame to the last, then from the first again.
        case forward
        /// From the last frame to the first.
        case reverse
        /// Back and forth. Each way is a loop; the frames at the ends are shown once.
        case bounce
    }

    /// The animation.
    public let animation: ImageAnimation
    /// Whether it is playing; false after its end.
    public private(set) var isPlaying = false
    /// The frame that is due.
    public private(set) var frameIndex = 0
    /// The frame that is due, or the newest decoded one before it; nil before the first is decoded.
    public private(set) var image: Image?
    /// The index of the frame in `image`.
    public private(set) var imageIndex: Int?
    /// The time of the caller's clock at which to call `tick` next; nil if nothing will change.
    public private(set) var nextDeadline: Duration?
    /// The number of loops since it began.
    public private(set) var finishedLoopCount = 0
    /// The error of the last frame that couldn't be decoded; other frames still play.
    public internal(set) var error: (any Error)?
    /// The speed relative to the file's, at most 1,000,000. Takes effect from the last tick on. It stands still at 0
    /// and at negative or non-finite values.
    public var rate: Double = 1 { didSet { update() } }
    /// The direction of play. Takes effect from the last tick on.
    public var direction = Direction.forward {
        didSet {
            timeline.turn(direction)
            update()
        }
    }
    /// The number of loops, 0 for endless; nil for the file's.
    public var loopCount: Int? { didSet { update() } }

    @ObservationIgnored private let pool: AnimationFramePool
    @ObservationIgnored private(set) var timeline = AnimationTimeline()
    /// The latest time that the caller passed.
    @ObservationIgnored package private(set) var time = Duration.zero
    /// The earliest frame that may be shown after a seek.
    @ObservationIgnored private var target: Int? = 0
    /// The needs last reported to the pool.
    @ObservationIgnored private var servedNeeds: Needs?

    /// The interval of ticks while it waits for frames.
    private static let patience = Duration.milliseconds(50)

    /// A player that shows the first frame.
    public init(_ animation: ImageAnimation, pool: AnimationFramePool = .shared) {
        self.animation = animation
        self.pool = pool
        takeIn()
        pool.add(self)
        update()
    }

    isolated deinit { pool.remove(ObjectIdentifier(self)) }

    // MARK: Playing

    /// Plays from the current position, or from the beginning if it is at its end.
    public func play(at time: Duration) {
        advance(to: time)
        if timeline.hasEnded {
            timeline.restart()
            target = timeline.frameIndex
        }
        isPlaying = true
        update()
    }

    /// Stops at the frame that is due.
    public func pause(at time: Duration) {
        advance(to: time)
        isPlaying = false
        update()
    }

    /// Moves to the beginning of a frame, or of the nearest that exists.
    public func seek(toFrame index: Int, at time: Duration) {
        advance(to: time)
        timeline.seek(toFrame: index)
        target = timeline.frameIndex
        update()
    }

    /// Moves to a time in the animation, counted from its beginning at rate 1.
    public func seek(to place: Duration, at time: Duration) {
        advance(to: time)
        timeline.seek(to: place.nanoseconds)
        target = timeline.frameIndex
        update()
    }

    /// Advances to `time`.
    /// - Returns: The index of the frame that is due.
    @discardableResult
    public func tick(at time: Duration) -> Int {
        advance(to: time)
        update()
        return frameIndex
    }

    // MARK: Steps

    private var soundRate: Double { rate.isFinite ? rate.clamped(to: 0...1e6) : 0 }

    private func advance(to time: Duration) {
        // Frames that have arrived since are due from now on.
        defer { takeIn() }
        let passed = time - self.time
        guard passed > .zero else { return }
        self.time = time
        guard isPlaying else { return }
        timeline.advance(by: Int64((Double(passed.nanoseconds) * soundRate).clamped(to: 0...1e18).rounded()))
        if timeline.hasEnded { isPlaying = false }
    }

    /// Adds the frames that have arrived to the timeline.
    private func takeIn() {
        timeline.loopCount = max(0, loopCount ?? animation.loopCount)
        // In this order: frames that arrive in between are taken in the next time.
        let isFinished = animation.isFinished
        let durations = animation.durations
        guard durations.count > timeline.frameCount || isFinished != timeline.isFinished else { return }
        timeline.update(durations: durations, isFinished: isFinished)
    }

    private func update() {
        timeline.loopCount = max(0, loopCount ?? animation.loopCount)
        if frameIndex != timeline.frameIndex { frameIndex = timeline.frameIndex }
        if finishedLoopCount != timeline.finishedLoopCount { finishedLoopCount = timeline.finishedLoopCount }
        let deadline = deadline
        if nextDeadline != deadline { nextDeadline = deadline }
        showNewest()
        let needs = Needs(
            frame: frameIndex, frameCount: timeline.frameCount, isPlaying: isPlaying, isForward: timeline.isForward,
            rate: soundRate)
        guard needs != servedNeeds else { return }
        servedNeeds = needs
        pool.serve()
    }

    /// The state that determines which frames are needed.
    private struct Needs: Equatable {
        let frame: Int
        let frameCount: Int
        let isPlaying: Bool
        let isForward: Bool
        let rate: Double
    }

    private var deadline: Duration? {
        guard isPlaying, soundRate > 0 else { return nil }
        if timeline.isStalled || timeline.frameCount == 0 && !timeline.isFinished { return time + Self.patience }
        guard let wait = timeline.untilChange else { return nil }
        return time + .nanoseconds(Int64((Double(max(wait, 1)) / soundRate).clamped(to: 1...4e18).rounded(.up)))
    }

    /// Shows the newest decoded frame that is due, or was due after the one on screen.
    func showNewest() {
        guard timeline.frameCount > 0 else { return }
        var index = timeline.frameIndex
        for _ in 0..<timeline.frameCount {
            if index == imageIndex, target == nil { return }
            if let frame = pool.frame(index, of: self) {
                (image, imageIndex, target) = (frame, index, nil)
                return
            }
            if index == target { return }
            index = timeline.frame(before: index)
        }
    }

    // MARK: For the pool

    /// The frames needed next, in order, with times: the one that is due, then at most `count` more.
    func wantedFrames(_ count: Int) -> [(frame: Int, time: Duration)] {
        guard timeline.frameCount > 0 else { return [] }
        let due = (frame: timeline.frameIndex, time: time)
        guard isPlaying, soundRate > 0 else { return [due] }
        return [due]
            + timeline.upcoming(count).map { step in
                (step.frame, time + .nanoseconds(Int64((Double(step.wait) / soundRate).clamped(to: 0...4e18))))
            }
    }
}

extension Duration {
    /// The duration in nanoseconds, truncated and clamped to ±146 years.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard abs(seconds) < 1 << 32 else { return seconds < 0 ? -(1 << 62) : 1 << 62 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
