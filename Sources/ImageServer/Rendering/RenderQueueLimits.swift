internal import ImageFormats

/// What renders may take together, and which part of it those may that are dear.
struct RenderQueueLimits {
    /// Renders that run at a time, of those that are cheap. A dear one leaves room for one of them at least.
    let width: Int
    /// Dear renders that run at a time: three quarters of the width, at least one.
    let dearWidth: Int
    /// Bytes that all running renders take.
    let byteLimit: Int
    /// Bytes that dear ones take: seven eighths.
    let dearByteLimit: Int

    /// Bytes of a cheap render, at most, where the limit isn't lower: what a thumbnail of a large picture takes.
    private static let cheapByteCount = 64 << 20
    /// Seconds of one, at most.
    private static let cheapSeconds = 0.75
    /// By how much longer a render may take than it is estimated where nothing could stop it.
    private static let safety = 1.5

    init(width: Int, byteLimit: Int) {
        self.width = max(1, width)
        dearWidth = max(1, width * 3 / 4)
        self.byteLimit = max(1, byteLimit)
        dearByteLimit = max(1, byteLimit - byteLimit / 8)
    }

    /// Whether `cost` is more than a thumbnail's.
    func isDear(_ cost: CodingCost) -> Bool {
        cost.byteCount > min(Self.cheapByteCount, byteLimit / 8) || cost.seconds > Self.cheapSeconds
    }

    /// The time to reserve for `cost`.
    func seconds(_ cost: CodingCost) -> Double { cost.endsWhenCancelled ? cost.seconds : cost.seconds * Self.safety }

    /// Whether there is room for one more beside those that run.
    func hasRoom(for cost: CodingCost, cheapCount: Int, dearCount: Int, byteCount: Int, dearByteCount: Int) -> Bool {
        guard cost.byteCount <= byteLimit - byteCount || byteCount == 0 else { return false }
        guard isDear(cost) else { return cheapCount + min(dearCount, width - 1) < width }
        return dearCount < dearWidth && cheapCount + dearCount < max(2, width)
            && cost.byteCount <= dearByteLimit - dearByteCount
    }

    /// Refuses what there is never room or time for.
    /// - Throws: 400, with the need and the limit.
    func check(_ cost: CodingCost, deadline: ContinuousClock.Instant?) throws(RequestFailure) {
        guard !isDear(cost) || cost.byteCount <= dearByteLimit else {
            throw RequestFailure(
                400,
                """
                rendering this takes about \(cost.byteCount >> 20) MB of memory; the limit is \(dearByteLimit >> 20) MB. \
                Ask for a smaller size or another format
                """)
        }
        guard let deadline else { return }
        let seconds = self.seconds(cost)
        guard .now + .seconds(seconds) <= deadline else {
            let limit = Int((ContinuousClock.now.duration(to: deadline) / .seconds(1)).rounded())
            throw RequestFailure(
                400,
                """
                rendering this takes about \(Int(seconds.rounded(.up))) s of processor time; the limit is \(limit) s. \
                Ask for a smaller size or another format
                """)
        }
    }

    /// The refusal of a render that there is no room for now.
    /// - Parameter wait: Seconds until those before it are done.
    static func busy(retryAfter wait: Double) -> RequestFailure {
        let seconds = max(1, Int(min(600, wait.rounded(.up))))
        return RequestFailure(
            503, "the server is busy; try again in \(seconds) \(seconds == 1 ? "second" : "seconds")",
            retryAfter: seconds)
    }
}
