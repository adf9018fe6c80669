public import ImageLoading
public import Observation
public import Raster

/// Plays an animation by the clock: shows the frame that is due, or the newest before it that is decoded, and never slows
/// down.
///
/// It has no timer. Who shows it calls `tick` when an image is drawn, or at `nextDeadline`, with the time of a clock that
/// only goes forward and that all players of a pool share. Frames are decoded elsewhere; `image` changes when one arrives
/// that is due. An animation that is still arriving waits at its last frame for more.
@MainActor @Observable public final class AnimationPlayer {
    /// Which way it goes.
    public enum Direction: Hashable, Sendable {
        /// From the first frame to the last, and again from the first.
        case forward
        /// From the last to the first.
        case reverse
        /// Forth and back. Each way is a loop; the frames at the ends are shown once.
        case bounce
    }

    /// What is played.
    public let animation: ImageAnimation
    /// Whether time passes for it. False when it has come to its end.
    public private(set) var isPlaying = false
    /// The frame that is due.
    public private(set) var frameIndex = 0
    /// The newest frame that is there and due, or was before; nil before the first is decoded.
    public private(set) var image: Image?
    /// Which frame `image` is.
    public private(set) var imageIndex: Int?
    /// When the next frame is due and `tick` should be called, on the caller's clock; nil when nothing will change.
    public private(set) var nextDeadline: Duration?
    /// How many loops are over since it began.
    public private(set) var finishedLoopCount = 0
    /// Why the last frame that failed couldn't be decoded; the ones that could are played.
    public internal(set) var error: (any Error)?
    /// How fast it goes: 1 is as the file says. Takes effect from the last tick on. What isn't above 0 stands still.
    public var rate: Double = 1 { didSet { update() } }
    /// Which way it goes, from the last tick on.
    public var direction = Direction.forward {
        didSet {
            timeline.turn(direction)
            update()
        }
    }
    /// How often it is played, 0 for without end; nil: as the file says.
    public var loopCount: Int? { didSet { update() } }

    @ObservationIgnored private let pool: AnimationFramePool
    @ObservationIgnored private(set) var timeline = AnimationTimeline()
    /// The latest time that was told.
    @ObservationIgnored package private(set) var time = Duration.zero
    /// The first frame that may be shown after a seek.
    @ObservationIgnored private var target: Int? = 0
    /// What the pool was told last.
    @ObservationIgnored private var servedNeeds: Needs?

    /// While frames are awaited, how often to look.
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

    /// Goes on from where it is; from the beginning when it was at its end.
    public func play(at time: Duration) {
        advance(to: time)
        if timeline.hasEnded {
            timeline.restart()
            target = timeline.frameIndex
        }
        isPlaying = true
        update()
    }

    /// Stays at the frame that is due.
    public func pause(at time: Duration) {
        advance(to: time)
        isPlaying = false
        update()
    }

    /// Goes to the beginning of a frame, or of the nearest there is.
    public func seek(toFrame index: Int, at time: Duration) {
        advance(to: time)
        timeline.seek(toFrame: index)
        target = timeline.frameIndex
        update()
    }

    /// Goes to a place in the animation, counted from its beginning at rate 1.
    public func seek(to place: Duration, at time: Duration) {
        advance(to: time)
        timeline.seek(to: place.nanoseconds)
        target = timeline.frameIndex
        update()
    }

    /// Says what time it is.
    /// - Returns: The frame that is due.
    @discardableResult
    public func tick(at time: Duration) -> Int {
        advance(to: time)
        update()
        return frameIndex
    }

    // MARK: Steps

    private var soundRate: Double { rate.isFinite ? rate.clamped(to: 0...1e6) : 0 }

    private func advance(to time: Duration) {
        // What has arrived meanwhile is due from now on.
        defer { takeIn() }
        let passed = time - self.time
        guard passed > .zero else { return }
        self.time = time
        guard isPlaying else { return }
        timeline.advance(by: Int64((Double(passed.nanoseconds) * soundRate).clamped(to: 0...1e18).rounded()))
        if timeline.hasEnded { isPlaying = false }
    }

    /// Takes in what has arrived.
    private func takeIn() {
        timeline.loopCount = max(0, loopCount ?? animation.loopCount)
        // In this order: frames that come in between are seen the next time.
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

    /// What frames are wanted depends on.
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

    /// Shows the newest frame that is there and due, or was due since the one that is shown.
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

    /// The frames that it will want, the next first, and when: no more than `count`, and the one that is due.
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
    /// Billionths of a second, cut off; as far as 146 years.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard abs(seconds) < 1 << 32 else { return seconds < 0 ? -(1 << 62) : 1 << 62 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
