#if GTK
internal import Observation

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
#endif
