#if GTK
internal import ImageViews
internal import Raster

extension ZoomableImageWidget {
    /// The zoom factor of a step of the wheel or a key.
    private static let step = 1.25
    /// Points of touchpad scrolling that count as a step of the wheel.
    private static let pointsPerStep = 60.0
    /// Points by which an arrow key moves the image.
    private static let keyWay = 80.0

    /// Zooms in or out by steps, about the view's centre.
    package func zoom(bySteps steps: Double) {
        let factor = exp(steps)
        change { $0.zoom(by: factor, about: ViewPoint(x: $0.viewSize.width / 2, y: $0.viewSize.height / 2)) }
    }

    private func exp(_ steps: Double) -> Double {
        // A power of the step, interpolated linearly between whole exponents.
        var factor = 1.0
        let whole = Int(steps.magnitude.rounded(.down).clamped(to: 0...64))
        for _ in 0..<whole { factor *= Self.step }
        factor *= 1 + (Self.step - 1) * (steps.magnitude - Double(whole)).clamped(to: 0...1)
        return steps < 0 ? 1 / factor : factor
    }

    func handle(_ input: WidgetInput) -> Bool {
        switch input.kind {
        case .scroll(let x, let y, let isFine):
            if isFine, !input.modifiers.contains(.control) {
                change { $0.pan(by: ViewPoint(x: -x, y: -y)) }
            } else if input.modifiers.contains(.shift) {
                change { $0.pan(by: ViewPoint(x: -(y + x) * Self.keyWay, y: 0)) }
            } else {
                let factor = exp(isFine ? -y / Self.pointsPerStep : -y)
                change { $0.zoom(by: factor, about: input.point) }
                if x != 0, !isFine { change { $0.pan(by: ViewPoint(x: -x * Self.keyWay, y: 0)) } }
            }
        case .dragBegan, .dragged, .dragEnded:
            if crop == nil { moveImage(input) } else { moveCrop(input) }
        case .pinchBegan:
            drag = nil
            pinch = 1
            changePages { $0.cancelDrag() }
        case .pinched(let scale):
            let factor = scale / pinch
            pinch = scale
            change { $0.zoom(by: factor, about: input.point, bounds: .rubberBand) }
        case .pinchEnded: change { $0.endZoom() }
        case .pressed(let count):
            isDoubleClick = false
            guard count == 2, crop == nil else { return false }
            // The same press begins a drag, which would stop the zoom.
            drag = nil
            isDoubleClick = true
            changePages { $0.cancelDrag() }
            change { $0.doubleTap(at: input.point, animated: GTKProgram.animates) }
        case .menu: menuAsked(input.point)
        case .moved, .left: return false
        }
        return true
    }

    // MARK: Drags

    private func moveImage(_ input: WidgetInput) {
        switch input.kind {
        case .dragBegan: beginDrag()
        case .dragged(let x, let y): move(to: ViewPoint(x: x, y: y))
        case .dragEnded(let x, let y):
            isDoubleClick = false
            endDrag(at: ViewPoint(x: x, y: y))
        default: break
        }
    }

    private func moveCrop(_ input: WidgetInput) {
        guard let zoom = shown?.zoom else { return }
        switch input.kind {
        case .dragBegan: crop?.beginDrag(at: input.point, in: zoom)
        case .dragged(let x, let y):
            crop?.drag(by: ViewPoint(x: x, y: y), in: zoom)
            cropChanged()
        default: crop?.endDrag()
        }
    }

    private func beginDrag() {
        guard !isDoubleClick else { return }
        drag = .zero
        speed = DragSpeed()
        speed.note(.zero)
        shown?.zoom.stop()
        let zoom = shown?.zoom ?? nothing
        changePages { $0.beginDrag(zoom) }
    }

    private func move(to place: ViewPoint) {
        guard let last = drag else { return }
        drag = place
        speed.note(place)
        var zoom = shown?.zoom ?? nothing
        changePages { $0.drag(by: place - last, zoom: &zoom, bounds: .rubberBand) }
        set(zoom)
    }

    private func endDrag(at place: ViewPoint) {
        guard drag != nil else { return }
        drag = nil
        let (velocity, picture) = (speed.velocity, shown)
        var zoom = picture?.zoom ?? nothing
        // The page may change; the zoom is that of the page that was dragged.
        changePages { $0.endDrag(velocity: velocity, zoom: &zoom, bounds: .rubberBand) }
        guard let picture, picture.zoom != zoom else { return }
        picture.zoom = zoom
        if zoom.isMoving { startTicking() }
        zoomChanged()
    }

    private func set(_ zoom: ZoomModel) {
        guard let picture = shown, picture.zoom != zoom else { return }
        picture.zoom = zoom
        zoomChanged()
        redraw()
    }

    /// Pages can be turned even without an image.
    private var nothing: ZoomModel {
        ZoomModel(pictureSize: PixelSize(width: 1, height: 1), viewSize: size, scaleFactor: scaleFactor)
    }

    // MARK: Keys

    func receive(key: GTKEvent) -> Bool {
        guard key.modifiers.subtracting(.shift).isEmpty else { return false }
        switch key.text {
        case "plus", "KP_Add", "equal": zoom(bySteps: 1)
        case "minus", "KP_Subtract": zoom(bySteps: -1)
        case "0", "KP_0": fit()
        case "1", "KP_1": oneToOne()
        case "Left": return pan(x: 1, y: 0)
        case "Right": return pan(x: -1, y: 0)
        case "Up": return pan(x: 0, y: 1)
        case "Down": return pan(x: 0, y: -1)
        default: return false
        }
        return true
    }

    /// Shows the whole image.
    package func fit() { change { $0.fit(animated: GTKProgram.animates) } }

    /// Covers the widget with the image.
    package func fill() { change { $0.fill(animated: GTKProgram.animates) } }

    /// Shows each image pixel as a device pixel.
    package func oneToOne() { change { $0.oneToOne(animated: GTKProgram.animates) } }

    /// Rotates the image clockwise.
    package func rotate(by quarterTurns: Int) { change { $0.rotate(by: quarterTurns) } }

    /// Moves the image; false if it can't move that way, so that the key is free for another action.
    private func pan(x: Double, y: Double) -> Bool {
        guard let picture = shown else { return false }
        adapt(picture)
        var zoom = picture.zoom
        zoom.pan(by: ViewPoint(x: x * Self.keyWay, y: y * Self.keyWay))
        // An image that is wider than the window keeps the arrow keys, even at its edges.
        let size = zoom.pictureRect
        let isWider = x != 0 ? size.width > zoom.viewSize.width + 0.5 : size.height > zoom.viewSize.height + 0.5
        guard isWider else { return false }
        set(zoom)
        return true
    }
}

/// The speed at the end of a drag, measured over the last tenth of a second.
@MainActor
struct DragSpeed {
    private var samples: [(time: Duration, place: ViewPoint)] = []
    private static let window = Duration.milliseconds(100)

    mutating func note(_ place: ViewPoint) {
        let now = ViewTime.now
        samples.removeAll { now - $0.time > Self.window }
        samples.append((now, place))
    }

    /// Points per second; zero if the pointer rested.
    var velocity: ViewPoint {
        guard let first = samples.first, let last = samples.last, ViewTime.now - last.time < Self.window else {
            return .zero
        }
        let seconds = (last.time - first.time) / .seconds(1)
        guard seconds > 0.005 else { return .zero }
        return ViewPoint(x: (last.place.x - first.place.x) / seconds, y: (last.place.y - first.place.y) / seconds)
    }
}
#endif
