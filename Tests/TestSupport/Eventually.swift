/// Waits until `condition` holds, and returns whether it did within `limit`.
///
/// For what no event announces: files, windows and processes of other programs. The limit is only for a condition that never
/// holds, so it is far beyond what a busy machine takes. A cancelled task, such as that of a test that ran out of time, waits
/// no longer.
/// - Parameter interval: The time between two looks.
package func eventually(
    within limit: Duration = .seconds(300), every interval: Duration = .milliseconds(20),
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while true {
        // Asked again after the last pause: on a machine that stood still, the time may be over and the condition hold.
        let isLast = ContinuousClock.now >= end || Task.isCancelled
        if try await condition() { return true }
        if isLast { return false }
        try? await Task.sleep(for: interval)
    }
}
