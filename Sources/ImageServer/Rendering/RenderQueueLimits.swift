internal import ImageFormats

/// The limits on concurrent renders, and the share for expensive (`dear`) ones.
struct RenderQueueLimits {
    /// The most concurrent cheap renders. Expensive ones leave at least one of these places free.
    let width: Int
    /// The most concurrent expensive renders: three quarters of the other places, at least one.
    let dearWidth: Int
    /// The most bytes of all running renders.
    let byteLimit: Int
    /// The most bytes of running expensive renders: seven eighths of `byteLimit`.
    let dearByteLimit: Int

    /// The most bytes of a cheap render, unless `byteLimit / 8` is less: enough for a thumbnail of a large image.
    private static let cheapByteCount = 64 << 20
    /// The most seconds of a cheap render.
    private static let cheapSeconds = 0.75
    /// The factor by which a render that can't be cancelled may exceed its estimated time.
    private static let safety = 1.5

    init(width: Int, byteLimit: Int) {
        self.width = max(1, width)
        dearWidth = max(1, (width - 1) * 3 / 4)
        self.byteLimit = max(1, byteLimit)
        dearByteLimit = max(1, byteLimit - byteLimit / 8)
    }

    /// Whether `cost` is more than a thumbnail's.
    func isDear(_ cost: CodingCost) -> Bool {
        cost.byteCount > min(Self.cheapByteCount, byteLimit / 8) || cost.seconds > Self.cheapSeconds
    }

    /// The seconds to reserve for `cost`.
    func seconds(_ cost: CodingCost) -> Double { cost.endsWhenCancelled ? cost.seconds : cost.seconds * Self.safety }

    /// Whether another render fits beside the running ones.
    func hasRoom(for cost: CodingCost, cheapCount: Int, dearCount: Int, byteCount: Int, dearByteCount: Int) -> Bool {
        guard cost.byteCount <= byteLimit - byteCount || byteCount == 0 else { return false }
        guard isDear(cost) else { return cheapCount + min(dearCount, width - 1) < width }
        return dearCount < dearWidth && cheapCount + dearCount < max(2, width)
            && cost.byteCount <= dearByteLimit - dearByteCount
    }

    /// Refuses a render that never fits the limits on memory or time.
    /// - Throws: 400 with the estimate and the limit.
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

    /// The failure for a render that doesn't fit at present.
    /// - Parameter wait: The estimated seconds until it would.
    static func busy(retryAfter wait: Double) -> RequestFailure {
        let seconds = max(1, Int(min(600, wait.rounded(.up))))
        return RequestFailure(
            503, "the server is busy; try again in \(seconds) \(seconds == 1 ? "second" : "seconds")",
            retryAfter: seconds)
    }
}
