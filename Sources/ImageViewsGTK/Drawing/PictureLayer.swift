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

    /// Called when something else is to be drawn.
    private let changed: @MainActor () -> Void
    private var current: Picture?
    private var previous: Picture?
    private var passed = Duration.zero
    private var duration = Duration.zero
    private var generation = 0
    /// Which image was shown last.
    private var identity: Int?

    init(changed: @escaping @MainActor () -> Void) { self.changed = changed }

    /// Points that the image takes at its own scale; zero for none.
    var naturalSize: ViewSize { current?.size ?? .zero }
    var isFading: Bool { passed < duration }

    /// Draws `image` from now on: at once where it is decoded.
    func show(_ image: Image?, transition: ImageTransition? = nil) {
        // Told twice, it fades once.
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

    /// Lets time pass; true while it is still fading.
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

/// How an image lies in a rectangle.
package enum PictureFit: Int, Sendable {
    /// All of it is seen, no larger than it is.
    case fitNoLarger
    /// All of it is seen, as large as there is room.
    case fit
    /// It covers all of the rectangle.
    case cover
    /// It is as large as it is, and may go beyond the rectangle.
    case ownSize

    /// Where an image of `size` points goes, its middle in that of `rect`.
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
