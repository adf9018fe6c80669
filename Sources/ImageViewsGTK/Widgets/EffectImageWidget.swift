#if GTK
internal import Essentials
internal import ImageEffects
public import ImageViews
internal import Raster

/// A widget that shows an image with `FXImageView`'s effects: `TesseraEffectImage`, with the model's properties.
///
/// `shadow-color` is text such as `#336699` or `#33669980`, and `content-mode` the name of a `ContentMode`, such as
/// `aspectFit`; other text is ignored. An empty `cache-key` counts as none.
@MainActor
public final class EffectImageWidget: ViewWidget {
    /// The model, for all other settings.
    public let model = EffectImageView()
    private lazy var layer = PictureLayer { [weak self] in self?.layerChanged() }
    private var address = ""
    private var following: FrameFollowing?

    private static let texts = ["uri", "shadow-color", "content-mode", "cache-key"]
    /// The numeric properties, in order, after the texts and `asynchronous`.
    private static let numbers:
        [(
            name: String, range: ClosedRange<Double>, standard: Double,
            ReferenceWritableKeyPath<EffectImageView, Double>
        )] = [
            ("crossfade-duration", 0...60, 0.25, \.crossfadeDuration),
            ("reflection-gap", -10_000...10_000, 0, \.reflectionGap),
            ("reflection-scale", 0...1, 0, \.reflectionScale),
            ("reflection-alpha", 0...1, 0, \.reflectionAlpha),
            ("shadow-blur", 0...10_000, 0, \.shadowBlur),
            ("shadow-offset-x", -10_000...10_000, 0, \.shadowOffset.width),
            ("shadow-offset-y", -10_000...10_000, 0, \.shadowOffset.height),
            ("corner-radius", 0...10_000, 0, \.cornerRadius),
        ]

    override class var typeName: String { "TesseraEffectImage" }
    override class var clips: Bool { false }
    override class var properties: [WidgetProperty] {
        texts.map { .text($0) } + [.flag("asynchronous", standard: true)]
            + numbers.map { .number($0.name, $0.range, standard: $0.standard) }
    }

    required init(_ pointer: OpaquePointer) {
        super.init(pointer)
        model.asynchronous = true
        model.contentMode = .aspectFit
        following = FrameFollowing(redraw: { [weak self] in self?.redraw() }) { [weak self] in
            guard let self else { return }
            layer.show(model.processedImage, transition: model.transition)
        }
    }

    private func layerChanged() {
        if layer.isFading { startTicking() }
        redraw()
    }

    override func resized() {
        model.scale = scaleFactor
        model.size = size
    }

    override func scaled() { model.scale = scaleFactor }

    override func draw(on canvas: Canvas) {
        following?.catchUp()
        // Shadows and reflections extend the image beyond the view; it stays centred.
        layer.draw(on: canvas, in: ViewRect(size), .ownSize, scaleFactor: scaleFactor)
    }

    override func tick(by time: Duration) -> Bool {
        let goesOn = layer.advance(by: time)
        redraw()
        return goesOn
    }

    override func disposed() { model.image = nil }

    override func setText(_ property: Int, _ value: String) {
        switch Self.texts[property] {
        case "shadow-color": model.shadowColor = RGBA8(hex: value) ?? model.shadowColor
        case "content-mode": model.contentMode = ContentMode(rawValue: value) ?? model.contentMode
        case "cache-key": model.cacheKey = value.isEmpty ? nil : value
        default:
            address = value
            if value.isEmpty {
                model.image = nil
            } else if let url = URL(pathOrAddress: value) {
                model.setImage(contentsOf: url)
            }
        }
    }

    override func text(_ property: Int) -> String {
        switch Self.texts[property] {
        case "shadow-color": model.shadowColor.hex
        case "content-mode": model.contentMode.rawValue
        case "cache-key": model.cacheKey ?? ""
        default: address
        }
    }

    private static func number(_ property: Int) -> ReferenceWritableKeyPath<EffectImageView, Double>? {
        property == texts.count ? nil : numbers[property - texts.count - 1].3
    }

    override func setNumber(_ property: Int, _ value: Double) {
        if let number = Self.number(property) {
            model[keyPath: number] = value
        } else {
            model.asynchronous = value != 0
        }
    }

    override func number(_ property: Int) -> Double {
        Self.number(property).map { model[keyPath: $0] } ?? (model.asynchronous ? 1 : 0)
    }
}
#endif
