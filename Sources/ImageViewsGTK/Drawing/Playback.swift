#if GTK
package import ImageViews

/// Tells an animation's player the time when it wants to know, while the animation plays.
@MainActor
package final class Playback {
    package let player: AnimationPlayer
    private var task: Task<Void, Never>?
    private static let origin = ContinuousClock.now

    package init(_ player: AnimationPlayer) { self.player = player }

    deinit { task?.cancel() }

    /// The time that players are told.
    package static var time: Duration { ContinuousClock.now - origin }

    package func play() {
        player.play(at: Self.time)
        guard task == nil else { return }
        task = Task { [weak self, player] in
            while player.isPlaying, !Task.isCancelled {
                player.tick(at: Self.time)
                // An animation whose next frame isn't there yet is looked at again.
                let wait = player.nextDeadline.map { $0 - Self.time } ?? .milliseconds(50)
                try? await Task.sleep(for: max(.milliseconds(1), wait))
            }
            self?.task = nil
        }
    }

    package func pause() {
        player.pause(at: Self.time)
        task?.cancel()
        task = nil
    }
}
#endif
