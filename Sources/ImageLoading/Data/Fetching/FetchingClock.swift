#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The times that fetching goes by, so that tests can set them.
package struct FetchingClock: Sendable {
    /// Time since some moment, never going back.
    package var now: @Sendable () -> Duration
    /// Seconds since 1970.
    package var secondsSince1970: @Sendable () -> Int64
    /// Returns after the time, or throws when cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// A clock made of these.
    package init(
        now: @escaping @Sendable () -> Duration, secondsSince1970: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.secondsSince1970 = secondsSince1970
        self.sleep = sleep
    }

    /// The system's.
    package static let system: FetchingClock = {
        let start = ContinuousClock.now
        return FetchingClock(
            now: { start.duration(to: .now) }, secondsSince1970: { Int64(Date().timeIntervalSince1970) },
            sleep: { try await Task.sleep(for: $0) })
    }()
}
