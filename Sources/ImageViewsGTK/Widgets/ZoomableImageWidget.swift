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
    /// Called at a point where a context menu is asked for.
    public var menuAsked: (ViewPoint) -> Void = { _ in }
    /// The rectangle that is drawn over the current image to crop it, and that drags then change; nil for none.
    public var crop: CropSelection? { didSet { if crop != oldValue { redraw() } } }
    /// Called when a drag has changed `crop`.
    public var cropChanged: () -> Void = {}
    /// The ground behind transparent pixels.
    public var ground = Ground.chequers { didSet { redraw() } }

    /// The ground behind transparent pixels.
    public enum Ground: String, Hashable, Sendable, CaseIterable {
        /// Squares of two greys, on one of which every colour stands out.
        case chequers
        /// White.
        case light
        /// Black.
        case dark
    }

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

    /// Makes the textures again, for a display with other colours.
    package func colorsChanged() {
        textures.removeAll()
        redraw()
    }

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
        if let crop, let zoom = shown?.zoom { draw(crop, zoom, on: canvas) }
    }

    /// Darkens what will be cut off, and frames the rest with handles at its corners and edges.
    private func draw(_ crop: CropSelection, _ zoom: ZoomModel, on canvas: Canvas) {
        let (frame, all) = (crop.frame(in: zoom).snapped(scaleFactor), ViewRect(size))
        let outside: UInt32 = 0x0000_0099
        let (left, right) = (frame.x.clamped(to: 0...all.width), frame.right.clamped(to: 0...all.width))
        let (top, bottom) = (frame.y.clamped(to: 0...all.height), frame.bottom.clamped(to: 0...all.height))
        canvas.fill(outside, ViewRect(x: 0, y: 0, width: all.width, height: top))
        canvas.fill(outside, ViewRect(x: 0, y: bottom, width: all.width, height: all.height - bottom))
        canvas.fill(outside, ViewRect(x: 0, y: top, width: left, height: bottom - top))
        canvas.fill(outside, ViewRect(x: right, y: top, width: all.width - right, height: bottom - top))
        canvas.frame(0x0000_00FF, frame, line: 3)
        canvas.frame(0xFFFF_FFFF, frame, line: 1.5)
        for x in [frame.x, frame.center.x, frame.right] {
            for y in [frame.y, frame.center.y, frame.bottom] where x != frame.center.x || y != frame.center.y {
                let handle = ViewRect(x: x - 5, y: y - 5, width: 10, height: 10)
                canvas.fill(0x0000_00FF, handle, radius: 5)
                canvas.fill(
                    0xFFFF_FFFF, ViewRect(x: x - 3.5, y: y - 3.5, width: 7, height: 7), radius: 3.5)
            }
        }
    }

    private func fillGround(_ rect: ViewRect, on canvas: Canvas) {
        switch ground {
        case .chequers: canvas.fillWithChequers(rect)
        case .light: canvas.fill(0xFFFF_FFFF, rect)
        case .dark: canvas.fill(0x0000_00FF, rect)
        }
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
            if image.hasAlpha { fillGround(rect.intersection(frame), on: canvas) }
            canvas.draw(texture, in: rect, turned: orientation)
            return
        }
        if picture.drawing.contains(where: { $0.image.hasAlpha }) {
            let rect = picture.zoom.pictureRect.moved(by: frame.origin).snapped(scaleFactor)
            fillGround(rect.intersection(frame), on: canvas)
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
        canvas.writeMessage(text, textColor, in: rect, size: 15, for: self)
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
    /// The replacement's pixels per pixel of the image: less than 1 for a smaller one.
    public var replacementScale = 1.0
    /// An error message to show instead of the image.
    public var message: String?

    /// An empty page.
    public init() {}

    /// The image that is drawn and zoomed.
    public var shown: ZoomableImage? { replacement ?? picture }
}
#endif
