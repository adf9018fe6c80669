#if GTK
package import ImageViews
internal import Raster

/// An image that a widget draws, and the one that it fades from.
@MainActor
final class PictureLayer {
    private struct Picture {
        let texture: Texture
        let orientation: Orientation
        let size: ViewSize
    }

    /// Called when the layer must be drawn again.
    private let changed: @MainActor () -> Void
    private var current: Picture?
    private var previous: Picture?
    private var passed = Duration.zero
    private var duration = Duration.zero
    private var generation = 0
    /// The identity of the last image shown.
    private var identity: Int?

    init(changed: @escaping @MainActor () -> Void) { self.changed = changed }

    /// The image's own size in points; zero without an image.
    var naturalSize: ViewSize { current?.size ?? .zero }
    var isFading: Bool { passed < duration }

    /// Draws `image` from now on, or once it is decoded.
    func show(_ image: Image?, transition: ImageTransition? = nil) {
        // A repeated call doesn't restart the fade.
        guard image?.identity != identity else { return }
        identity = image?.identity
        generation += 1
        guard let image, !image.isDecoded else {
            let bitmap = image.flatMap { try? $0.storedBitmap() }
            return put(bitmap.flatMap { try? Texture($0) }, of: image, transition)
        }
        let generation = generation
        Task {
            let bitmap = try? await Task.detached(priority: .userInitiated) {
                try Texture.drawable(image.storedBitmap())
            }
            .value
            guard generation == self.generation else { return }
            self.put(bitmap.flatMap { try? Texture($0) }, of: image, transition)
        }
    }

    private func put(_ texture: Texture?, of image: Image?, _ transition: ImageTransition?) {
        previous = transition.flatMap { $0.duration > 0 && GTKProgram.animates ? current : nil }
        duration = transition.map { GTKProgram.animates ? .seconds($0.duration) : .zero } ?? .zero
        passed = .zero
        current = texture.flatMap { texture in
            image.map { image in
                Picture(
                    texture: texture, orientation: image.orientation,
                    size: ViewSize(
                        width: Double(image.size.width) / image.scale, height: Double(image.size.height) / image.scale))
            }
        }
        changed()
    }

    /// Advances the fade; true while it is in progress.
    func advance(by time: Duration) -> Bool {
        guard isFading else { return false }
        passed += time
        if !isFading { previous = nil }
        return isFading
    }

    func draw(on canvas: Canvas, in rect: ViewRect, _ fit: PictureFit, scaleFactor: Double) {
        func draw(_ picture: Picture?) {
            guard let picture else { return }
            canvas.draw(
                picture.texture, in: fit.place(picture.size, in: rect).snapped(scaleFactor), turned: picture.orientation
            )
        }
        guard isFading else { return draw(current) }
        canvas.crossFade(passed / duration, from: { draw(previous) }, to: { draw(current) })
    }
}

/// How an image fits into a rectangle.
package enum PictureFit: Int, Sendable {
    /// Wholly inside, at most at its own size.
    case fitNoLarger
    /// Wholly inside, as large as possible.
    case fit
    /// Covering the whole rectangle.
    case cover
    /// At its own size, possibly beyond the rectangle.
    case ownSize

    /// The rectangle of an image of `size` points, centred in `rect`.
    package func place(_ size: ViewSize, in rect: ViewRect) -> ViewRect {
        guard !size.isEmpty, !rect.isEmpty else { return ViewRect(x: rect.x, y: rect.y, width: 0, height: 0) }
        let (across, down) = (rect.width / size.width, rect.height / size.height)
        let scale =
            switch self {
            case .fitNoLarger: min(1, across, down)
            case .fit: min(across, down)
            case .cover: max(across, down)
            case .ownSize: 1.0
            }
        let (width, height) = (size.width * scale, size.height * scale)
        return ViewRect(
            x: rect.x + (rect.width - width) / 2, y: rect.y + (rect.height - height) / 2, width: width, height: height)
    }
}

extension ViewRect {
    /// The rectangle with its edges at device pixels.
    package func snapped(_ scaleFactor: Double) -> ViewRect {
        let (left, top) = ((x * scaleFactor).rounded() / scaleFactor, (y * scaleFactor).rounded() / scaleFactor)
        let (right, bottom) = (
            (right * scaleFactor).rounded() / scaleFactor, (bottom * scaleFactor).rounded() / scaleFactor
        )
        return ViewRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
#endif
