#if GTK
internal import Observation

/// Calls `read`, and again after anything that it has read has changed, until it returns false.
@MainActor
package func follow(_ read: @escaping @MainActor () -> Bool) {
    withObservationTracking {
        guard read() else { return }
    } onChange: {
        // What changes has its new value only after this call.
        Task { @MainActor in follow(read) }
    }
}
#endif
