#if GTK
internal import Observation

/// Updates a widget from its model: after each change, or earlier, before a frame that is drawn in between.
///
/// So a reused widget shows its new image, or none, in the same frame in which that was set.
@MainActor
final class FrameFollowing {
    private let read: @MainActor () -> Void
    /// Whether the model has changed since it was last read.
    private var isOld = false

    /// - Parameter redraw: Requests a frame.
    init(redraw: @escaping @MainActor () -> Void, read: @escaping @MainActor () -> Void) {
        self.read = read
        follow(changing: { [weak self] in
            self?.isOld = true
            redraw()
        }) { [weak self] in
            guard let self else { return false }
            isOld = false
            read()
            return true
        }
    }

    /// Reads a changed model before the current frame is drawn.
    func catchUp() {
        guard isOld else { return }
        isOld = false
        read()
    }
}

/// Calls `read`, and again after any value that it read has changed, until it returns false.
/// - Parameter changing: Called immediately before a change, so that a frame being drawn waits for the new value.
@MainActor
package func follow(changing: @escaping @MainActor () -> Void = {}, _ read: @escaping @MainActor () -> Bool) {
    withObservationTracking {
        guard read() else { return }
    } onChange: {
        // Models change only on the main actor.
        MainActor.assumeIsolated { changing() }
        // The new value is set only after this call.
        Task { @MainActor in follow(changing: changing, read) }
    }
}

/// The time for all motion: the display's, or a fixed time set by a test.
@MainActor
package enum ViewTime {
    /// The time for all widgets and players; nil for the clock's.
    package static var fixed: Duration?

    private static let origin = ContinuousClock.now

    /// The current time for players.
    static var now: Duration { fixed ?? ContinuousClock.now - origin }
}
#endif
