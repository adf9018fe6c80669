#if GTK
internal import Essentials
internal import ImageLoading
public import ImageViews

/// A widget that shows an animation or a still: `TesseraAnimatedImage`, with the properties `uri`, `playing` and
/// `rate`.
@MainActor
public final class AnimatedImageWidget: ViewWidget {
    /// The animation's player; nil until an animation is set or starts to arrive.
    public private(set) var player: AnimationPlayer?
    private let model = ImageViewModel()
    private lazy var layer = PictureLayer { [weak self] in
        self?.measureAgain()
        self?.redraw()
    }
    private var playback: Playback?
    private var address = ""
    private var plays = true
    private var rate = 1.0

    override class var typeName: String { "TesseraAnimatedImage" }
    override class var properties: [WidgetProperty] {
        [.text("uri"), .flag("playing", standard: true), .number("rate", 0...100, standard: 1)]
    }

    required init(_ pointer: OpaquePointer) {
        super.init(pointer)
        model.transitionDuration = 0
        follow { [weak self] in
            guard let self else { return false }
            if let animation = model.container?.animation {
                if animation !== player?.animation { show(AnimationPlayer(animation)) }
            } else {
                layer.show(model.image)
            }
            return true
        }
    }

    /// Shows the animation of `player`, and plays it unless `playing` is off.
    public func show(_ player: AnimationPlayer?) {
        playback?.pause()
        self.player = player
        playback = player.map { Playback($0) }
        player?.rate = rate
        if plays { playback?.play() }
        follow { [weak self, weak player] in
            guard let self, let player, player === self.player else { return false }
            layer.show(player.image)
            return true
        }
    }

    override func draw(on canvas: Canvas) {
        layer.draw(on: canvas, in: ViewRect(size), .fit, scaleFactor: scaleFactor)
    }

    override func measure(isVertical: Bool, for other: Double) -> (minimum: Double, natural: Double) {
        (0, isVertical ? layer.naturalSize.height : layer.naturalSize.width)
    }

    override func disposed() {
        playback?.pause()
        model.reset()
    }

    override func setText(_ property: Int, _ value: String) {
        address = value
        show(nil)
        model.show(value.isEmpty ? nil : URL(pathOrAddress: value).map { ImageRequest(url: $0) })
    }

    override func text(_ property: Int) -> String { address }

    override func setNumber(_ property: Int, _ value: Double) {
        if property == 1 {
            plays = value != 0
            if plays { playback?.play() } else { playback?.pause() }
        } else {
            rate = value
            player?.rate = value
        }
    }

    override func number(_ property: Int) -> Double { property == 1 ? (plays ? 1 : 0) : rate }
}

/// Calls an animation player's `tick` at its deadlines while it plays.
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
                // Polls while the next frame isn't decoded, and in tests, whose clock is fixed.
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
