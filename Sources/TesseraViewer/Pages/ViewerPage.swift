#if GTK
internal import ImageViews
internal import ImageViewsGTK
internal import Observation
internal import Platform
internal import Tessera

/// An image of the list, as far as it is opened: its content for the stage, and its properties.
@MainActor @Observable
final class ViewerPage {
    let item: ViewerItem
    let content = ZoomablePage()
    /// The file's header; nil until it is opened.
    private(set) var header: ImageHeader?
    /// The image's tiles; nil for animations.
    private(set) var tiles: TiledImage?
    /// The time until the image could be shown.
    private(set) var openingTime: Duration?
    private(set) var playback: Playback?
    /// The gain map of a file; nil if it has none, and until `findGainMap()` has found it.
    private(set) var gainMap: GainMap?
    /// The effects of the image that is drawn.
    private(set) var effects = EffectSettings()
    /// The reason why the image isn't whole, if parts of it are shown.
    var damage: ImageError? {
        // The drawing, which changes with each movement, is read for damaged files only.
        guard let picture = content.picture, let error = picture.error, !picture.drawing.isEmpty else { return nil }
        return error
    }

    /// Device-independent pixels of the view per pixel of the original image; nil until it is open.
    var zoom: Double? {
        content.shown.map { $0.zoom.zoom * (content.replacement == nil ? 1 : content.replacementScale) }
    }

    /// Whether the animation was started automatically, which happens only once.
    @ObservationIgnored var hasStarted = false

    @ObservationIgnored private var task: Task<Void, Never>?
    /// The task that loads the frames of an animation that is already playing.
    @ObservationIgnored private var arrival: ImageTask?
    @ObservationIgnored private var effectTask: Task<Void, Never>?
    @ObservationIgnored private var gainMapTask: Task<Void, Never>?
    @ObservationIgnored private var isShown = true
    /// Whether decoding the image needs much memory, as determined when it was opened.
    @ObservationIgnored private var isHeavy = false

    /// The file's last change when it was opened; nil if it wasn't opened or is no file.
    @ObservationIgnored private var fileTime: FileTime?

    /// The largest number of pixels of a neighbouring image that is decoded as a whole.
    private static let besidePixelCount = 32_000_000

    init(_ item: ViewerItem) { self.item = item }

    deinit {
        task?.cancel()
        arrival?.cancel()
        effectTask?.cancel()
        gainMapTask?.cancel()
    }

    /// Whether the file has changed since it was opened.
    var isOutdated: Bool { task != nil && fileTime != item.modificationTime }

    var isLoading: Bool { content.picture == nil && content.message == nil }

    /// Opens the image, unless that has begun. Neighbours that need much memory aren't decoded.
    func open(isShown: Bool) {
        self.isShown = isShown
        if isHeavy, !isShown, content.picture?.isArriving ?? true { return close() }
        guard task == nil else { return }
        let (item, start) = (item, ContinuousClock.now)
        fileTime = item.modificationTime
        task = Task { [weak self] in
            do {
                let opened = try await OpenedPicture(item)
                guard !Task.isCancelled else { return }
                self?.receive(opened, start)
            } catch is CancellationError {
            } catch {
                // A page that was closed in the meantime may be open again.
                if !Task.isCancelled { self?.content.message = Self.message(error, item) }
            }
        }
    }

    /// The error with the file's name, once.
    private static func message(_ error: any Error, _ item: ViewerItem) -> String {
        let text = "\(error)".printable
        let isNamed = text.contains(item.path?.printable ?? item.name)
        return isNamed ? text : "\(item.name): \(text)"
    }

    func reload() {
        close()
        isHeavy = false
        open(isShown: isShown)
    }

    func close() {
        task?.cancel()
        task = nil
        arrival?.cancel()
        arrival = nil
        effectTask?.cancel()
        playback?.pause()
        playback = nil
        (content.picture, content.player, content.replacement, content.message) = (nil, nil, nil, nil)
        gainMapTask?.cancel()
        gainMapTask = nil
        (header, tiles, openingTime, gainMap) = (nil, nil, nil, nil)
        effects = EffectSettings()
        hasStarted = false
    }

    /// Looks for the gain map of an open file, once.
    func findGainMap() {
        guard gainMapTask == nil, let header, let path = item.path else { return }
        gainMapTask = Task { [weak self] in
            let map = try? await ImageExecutor.shared.run { () throws(ImageError) in
                try ImageSource.gainMap(
                    in: Source(path: path), header: header, options: DecodingOptions(color: .asStored))
            }
            if !Task.isCancelled, let map { self?.gainMap = map }
        }
    }

    private func receive(_ opened: OpenedPicture, _ start: ContinuousClock.Instant) {
        if case .still(let picture) = opened {
            isHeavy = picture.access == .decoded && picture.size.pixelCount > Self.besidePixelCount
            if isHeavy, !isShown { return close() }
        }
        openingTime = .now - start
        switch opened {
        case .still(let picture):
            header = picture.header
            tiles = picture
            content.picture = ZoomableImage(picture)
        case .vector(let picture, let drawing):
            header = picture.header
            tiles = picture
            content.picture = ZoomableImage(vector: drawing)
        case .animation(let container, let animation, let rest):
            arrival = rest
            header = container.header ?? animation.header
            content.picture = ZoomableImage(container.image)
            let player = AnimationPlayer(animation)
            content.player = player
            playback = Playback(player)
        }
    }

    // MARK: Effects

    /// Draws the image with effects, or the original if there are none.
    func apply(_ settings: EffectSettings, failed: @escaping @MainActor (String) -> Void) {
        guard settings != effects, let tiles else { return }
        effects = settings
        effectTask?.cancel()
        guard !settings.isEmpty else {
            if let picture = content.picture { place(picture) }
            (content.replacement, content.replacementScale) = (nil, 1)
            return
        }
        effectTask = Task { [weak self] in
            // Waits for a moving slider to rest.
            try? await Task.sleep(for: .milliseconds(60))
            guard !Task.isCancelled else { return }
            do {
                guard !settings.isLocal else {
                    let shown = ZoomableImage(
                        tiles,
                        makingTiles: { (address) throws(ImageError) in try await settings.tile(address, of: tiles) })
                    await self?.replace(by: shown, scale: 1)
                    return
                }
                // A small one at once, then the full size, or the largest that is quick enough.
                let full = tiles.size.pixelCount <= EffectSettings.fullPixelCount ? Int.max : 4096
                for side in [1024, full] {
                    let made = try await settings.preview(of: tiles, maximumSide: side)
                    guard !Task.isCancelled else { return }
                    await self?.replace(by: ZoomableImage(made.image), scale: made.scale)
                    if made.scale == 1 { return }
                }
            } catch {
                if !Task.isCancelled { failed("\(error)") }
            }
        }
    }

    /// Shows an image with effects. The previous image stays until the new one is ready.
    private func replace(by shown: ZoomableImage, scale: Double) async {
        place(shown, scale: scale)
        await shown.settleVisible()
        guard !Task.isCancelled else { return }
        place(shown, scale: scale)
        content.replacementScale = scale
        content.replacement = shown
    }

    /// Gives an image the zoom of the current one. Where the sizes differ, pixels of the original keep their size, and the
    /// middle its place.
    private func place(_ picture: ZoomableImage, scale: Double = 1) {
        guard let zoom = content.shown?.zoom, picture !== content.shown else { return }
        guard zoom.pictureSize != picture.zoom.pictureSize else { return picture.zoom = zoom }
        (picture.zoom.viewSize, picture.zoom.scaleFactor) = (zoom.viewSize, zoom.scaleFactor)
        picture.zoom.rotate(by: zoom.rotation - picture.zoom.rotation)
        guard zoom.fitting != .fit, !zoom.viewSize.isEmpty else { return picture.zoom.fit(animated: false) }
        let old = content.replacement == nil ? 1 : content.replacementScale
        let middle = ViewPoint(x: zoom.viewSize.width / 2, y: zoom.viewSize.height / 2)
        picture.zoom.zoom(by: zoom.zoom * old / scale / picture.zoom.zoom, about: middle)
        let place = zoom.picturePoint(at: middle)
        let share = (
            x: place.x / Double(zoom.pictureSize.width), y: place.y / Double(zoom.pictureSize.height)
        )
        let now = picture.zoom.viewPoint(
            of: PicturePoint(
                x: share.x * Double(picture.zoom.pictureSize.width),
                y: share.y * Double(picture.zoom.pictureSize.height)))
        picture.zoom.pan(by: middle - now)
    }
}
#endif
