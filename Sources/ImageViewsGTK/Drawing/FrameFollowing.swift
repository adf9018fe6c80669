#if GTK
/// Reads what a widget draws of its model: after each change of it, or sooner, in a frame that is drawn before that.
///
/// So a widget that is used again has its new picture, or none, in the frame in which that was set.
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
#endif
