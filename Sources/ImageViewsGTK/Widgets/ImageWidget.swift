#if GTK
internal import Essentials
internal import ImageLoading
public import ImageViews

/// A widget that shows an image: `TesseraImage`, with the properties `uri`, `fit` and `crossfade-duration`.
///
/// Its model has everything else: requests, placeholders, the image for failures.
@MainActor
public final class ImageWidget: ViewWidget {
    /// The model.
    public let model = ImageViewModel()
    private lazy var layer = PictureLayer { [weak self] in self?.layerChanged() }
    private var fit = PictureFit.fit
    private var address = ""
    private var following: FrameFollowing?
    private var isDrawing = false

    override class var typeName: String { "TesseraImage" }
    override class var properties: [WidgetProperty] {
        [.text("uri"), .number("fit", 0...3, standard: 1), .number("crossfade-duration", 0...60, standard: 0.25)]
    }

    required init(_ pointer: OpaquePointer) {
        super.init(pointer)
        following = FrameFollowing(redraw: { [weak self] in self?.redraw() }) { [weak self] in
            guard let self else { return }
            layer.show(model.image, transition: model.transition)
        }
    }

    private func layerChanged() {
        // Layout can't change while the widget is being drawn.
        if isDrawing { Task { [weak self] in self?.measureAgain() } } else { measureAgain() }
        if layer.isFading { startTicking() }
        redraw()
    }

    override func draw(on canvas: Canvas) {
        isDrawing = true
        following?.catchUp()
        isDrawing = false
        layer.draw(on: canvas, in: ViewRect(size), fit, scaleFactor: scaleFactor)
    }

    override func measure(isVertical: Bool, for other: Double) -> (minimum: Double, natural: Double) {
        (0, isVertical ? layer.naturalSize.height : layer.naturalSize.width)
    }

    override func tick(by time: Duration) -> Bool {
        let goesOn = layer.advance(by: time)
        redraw()
        return goesOn
    }

    override func disposed() { model.reset() }

    override func setText(_ property: Int, _ value: String) {
        address = value
        model.show(value.isEmpty ? nil : URL(pathOrAddress: value).map { ImageRequest(url: $0) })
    }

    override func text(_ property: Int) -> String { address }

    override func setNumber(_ property: Int, _ value: Double) {
        if property == 1 {
            fit = PictureFit(rawValue: Int(value)) ?? .fit
            redraw()
        } else {
            model.transitionDuration = value
        }
    }

    override func number(_ property: Int) -> Double {
        property == 1 ? Double(fit.rawValue) : model.transitionDuration
    }
}
#endif
