#if GTK
internal import Observation

/// Reads what a widget draws of its model: after each change of it, or sooner, in a frame that is drawn before that.
///
/// So a widget that is used again has its new image, or none, in the frame in which that was set.
@MainActor
final class FrameFollowing {
    private let read: @MainActor () -> Void
    /// Whether something has changed since it was read.
    private var isOld = false

    /// - Parameter redraw: Has a frame drawn.
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

    /// Reads what has changed, for the frame that is being drawn.
    func catchUp() {
        guard isOld else { return }
        isOld = false
        read()
    }
}

/// Calls `read`, and again after anything that it has read has changed, until it returns false.
/// - Parameter changing: Called at once when something is about to change, so that the frame that is being made waits for
///   the new value.
@MainActor
package func follow(changing: @escaping @MainActor () -> Void = {}, _ read: @escaping @MainActor () -> Bool) {
    withObservationTracking {
        guard read() else { return }
    } onChange: {
        // Models are changed on the main actor alone.
        MainActor.assumeIsolated { changing() }
        // What changes has its new value only after this call.
        Task { @MainActor in follow(changing: changing, read) }
    }
}

/// The time by which everything moves: the display's, or one that a test sets.
@MainActor
package enum ViewTime {
    /// What time it is for all widgets and players; nil for the clock's.
    package static var fixed: Duration?

    private static let origin = ContinuousClock.now

    /// What time it is for players.
    static var now: Duration { fixed ?? ContinuousClock.now - origin }
}
#endif
