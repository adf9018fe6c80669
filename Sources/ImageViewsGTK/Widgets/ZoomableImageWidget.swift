#if GTK
internal import Essentials
internal import ImagePyramid
public import ImageViews
public import Observation
internal import Raster

/// A widget that shows zoomable images of any size, one or several side by side: `TesseraZoomableImage`, with the
/// property `uri`.
///
/// The wheel and pinches zoom. A drag moves the image, or turns the page if the image is at its edge. A double click
/// zooms to one to one and back. The keys are plus, minus, 0 (fit), 1 (one to one) and the arrows.
@MainActor
public final class ZoomableImageWidget: ViewWidget {
    /// The current page and the position of the pages.
    public private(set) var pages = PageModel(count: 0)
    /// Returns the page at an index, on demand.
    public var page: (Int) -> ZoomablePage? = { _ in nil }
    /// Called when the current page has changed.
    public var pageChanged: (Int) -> Void = { _ in }
    /// Called when the current image's zoom has changed.
    public var zoomChanged: () -> Void = {}

    let textures = TileTextures()
    var drag: ViewPoint?
    var speed = DragSpeed()
    var pinch = 1.0
    /// Whether the press was the second of a double click, whose button release ends no drag.
    var isDoubleClick = false
    private var address = ""
    private var opening: Task<Void, Never>?
    /// Changes of the zoom, to apply once the image is available.
    private var pending: [(inout ZoomModel) -> Void] = []
    private static let pendingCount = 32

    override class var typeName: String { "TesseraZoomableImage" }
    override class var properties: [WidgetProperty] { [.text("uri")] }

    required init(_ pointer: OpaquePointer) {
        super.init(pointer)
        GTKObject(retaining: pointer).onKey { [weak self] in self?.receive(key: $0) ?? false }
    }

    // MARK: Pages

    /// Replaces all pages by `count` pages, with the one at `index` current.
    public func setPages(_ count: Int, index: Int) {
        pages = PageModel(count: count, index: index, viewSize: size)
        pending = []
        textures.removeAll()
        redraw()
    }

    /// Shows a single image.
    public func show(_ picture: ZoomableImage) {
        let only = ZoomablePage()
        only.picture = picture
        page = { _ in only }
        setPages(1, index: 0)
    }

    /// Moves to a page.
    public func show(page index: Int, animated: Bool) { changePages { $0.show(index, animated: animated) } }

    /// Changes the page model, and calls `pageChanged` if the current page is another.
    func changePages(_ change: (inout PageModel) -> Void) {
        let before = pages.index
        change(&pages)
        if pages.index != before {
            pending = []
            // A page that was opened beside the current one wasn't drawn yet, so its image has no view size.
            if let picture = shown { adapt(picture) }
            pageChanged(pages.index)
            zoomChanged()
        }
        if pages.isMoving { startTicking() }
        redraw()
    }

    /// The image shown on the current page; nil until it is available.
    public var shown: ZoomableImage? { page(pages.index)?.shown }

    // MARK: Zoom

    /// Changes the current image's zoom, or queues the change until the image is available.
    public func change(_ change: @escaping (inout ZoomModel) -> Void) {
        guard let picture = shown else {
            if pending.count < Self.pendingCount { pending.append(change) }
            return
        }
        adapt(picture)
        change(&picture.zoom)
        if picture.zoom.isMoving { startTicking() }
        zoomChanged()
        redraw()
    }

    // MARK: Drawing

    override func resized() {
        pages.viewSize = size
        zoomChanged()
    }

    override func measure(isVertical: Bool, for other: Double) -> (minimum: Double, natural: Double) { (64, 64) }

    override func draw(on canvas: Canvas) {
        let visible = pages.visiblePages
        for index in visible {
            if let picture = page(index)?.shown { adapt(picture) }
        }
        withObservationTracking {
            for index in visible {
                guard let page = page(index) else { continue }
                let frame = pages.frame(of: index).snapped(scaleFactor)
                canvas.clipped(to: frame) { draw(page, at: frame, on: canvas) }
            }
        } onChange: { [weak self] in
            Task { @MainActor in self?.contentChanged() }
        }
        textures.removeUnused()
    }

    /// Passes the widget's size and scale to an image.
    func adapt(_ picture: ZoomableImage) {
        if picture.zoom.viewSize != size { picture.zoom.viewSize = size }
        if picture.zoom.scaleFactor != scaleFactor { picture.zoom.scaleFactor = scaleFactor }
    }

    private func contentChanged() {
        if let picture = shown, !pending.isEmpty, !size.isEmpty {
            adapt(picture)
            for change in pending { change(&picture.zoom) }
            pending = []
        }
        if shown?.zoom.isMoving == true { startTicking() }
        zoomChanged()
        redraw()
    }

    private func draw(_ page: ZoomablePage, at frame: ViewRect, on canvas: Canvas) {
        guard let picture = page.shown else {
            if let message = page.message { write(message, in: frame, on: canvas) }
            return
        }
        if page.replacement == nil, let image = page.player?.image, let bitmap = try? image.storedBitmap(),
            let texture = try? Texture(bitmap)
        {
            let orientation = image.orientation.followed(by: picture.zoom.orientation)
            let rect = picture.zoom.pictureRect.moved(by: frame.origin).snapped(scaleFactor)
            if image.hasAlpha { canvas.fillWithChequers(rect.intersection(frame)) }
            canvas.draw(texture, in: rect, turned: orientation)
            return
        }
        if picture.drawing.contains(where: { $0.image.hasAlpha }) {
            let rect = picture.zoom.pictureRect.moved(by: frame.origin).snapped(scaleFactor)
            canvas.fillWithChequers(rect.intersection(frame))
        }
        for drawing in picture.drawing {
            guard let texture = textures.texture(of: drawing, in: picture) else { continue }
            let clip = drawing.clip.moved(by: frame.origin)
            let rect = joined(drawing.rect.moved(by: frame.origin), to: clip)
            if rect == clip {
                canvas.draw(texture, in: rect, turned: drawing.orientation)
            } else {
                canvas.clipped(to: clip) { canvas.draw(texture, in: rect, turned: drawing.orientation) }
            }
        }
        if let error = picture.error, picture.drawing.isEmpty { write("\(error)", in: frame, on: canvas) }
    }

    /// `rect` with those edges snapped to the clip's that are less than a device pixel away, so that adjacent tiles
    /// leave no seam, and pixels at one to one stay exact.
    private func joined(_ rect: ViewRect, to clip: ViewRect) -> ViewRect {
        let pixel = 1.01 / scaleFactor
        func joined(_ edge: Double, _ other: Double) -> Double { abs(edge - other) < pixel ? other : edge }
        let (left, top) = (joined(rect.x, clip.x), joined(rect.y, clip.y))
        let (right, bottom) = (joined(rect.right, clip.right), joined(rect.bottom, clip.bottom))
        return ViewRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    private func write(_ text: String, in frame: ViewRect, on canvas: Canvas) {
        let width = min(640, max(0, frame.width - 48))
        let rect = ViewRect(
            x: frame.center.x - width / 2, y: frame.y + 24, width: width, height: max(0, frame.height - 48))
        canvas.writeMessage(text, 0xC8C8_C8FF, in: rect, size: 15, for: self)
    }

    override func tick(by time: Duration) -> Bool {
        var goesOn = pages.advance(by: time)
        if let picture = shown, picture.zoom.isMoving {
            goesOn = picture.advance(by: time) || goesOn
            zoomChanged()
        }
        redraw()
        return goesOn
    }

    override func hidden() { textures.removeAll() }

    override func disposed() {
        opening?.cancel()
        page = { _ in nil }
    }

    // MARK: Properties

    override func setText(_ property: Int, _ value: String) {
        address = value
        opening?.cancel()
        let only = ZoomablePage()
        page = { _ in only }
        setPages(1, index: 0)
        guard let url = URL(pathOrAddress: value) else { return }
        opening = Task {
            do {
                only.picture = ZoomableImage(try await TiledImage(viewing: url))
            } catch {
                only.message = "\(error)"
            }
        }
    }

    override func text(_ property: Int) -> String { address }

    override func receive(_ input: WidgetInput) -> Bool { handle(input) }
}

/// One of the images that a `ZoomableImageWidget` shows side by side.
@MainActor @Observable
public final class ZoomablePage {
    /// The image; nil until it is opened.
    public var picture: ZoomableImage?
    /// The player of an animation, drawn at the image's zoom; nil for a still.
    public var player: AnimationPlayer?
    /// Drawn instead of the image: the image with effects, at the same zoom if it has the same size.
    public var replacement: ZoomableImage?
    /// An error message to show instead of the image.
    public var message: String?

    /// An empty page.
    public init() {}

    /// The image that is drawn and zoomed.
    public var shown: ZoomableImage? { replacement ?? picture }
}
#endif
