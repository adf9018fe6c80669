#if GTK
package import ImageViews

/// Tells an animation's player the time when it wants to know, while the animation plays.
@MainActor
package final class Playback {
    package let player: AnimationPlayer
    private var task: Task<Void, Never>?
    package init(_ player: AnimationPlayer) { self.player = player }

    deinit { task?.cancel() }

    package func play() {
        player.play(at: ViewTime.now)
        guard task == nil else { return }
        task = Task { [weak self, player] in
            while player.isPlaying, !Task.isCancelled {
                player.tick(at: ViewTime.now)
                // An animation whose next frame isn't there yet is looked at again, and so is a test's clock.
                let patience = Duration.milliseconds(ViewTime.fixed == nil ? 50 : 5)
                let wait = ViewTime.fixed == nil ? player.nextDeadline.map { $0 - ViewTime.now } ?? patience : patience
                try? await Task.sleep(for: max(.milliseconds(1), wait))
            }
            self?.task = nil
        }
    }

    package func pause() {
        player.pause(at: ViewTime.now)
        task?.cancel()
        task = nil
    }
}
#endif
