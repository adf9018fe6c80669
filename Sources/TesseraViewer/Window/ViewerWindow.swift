#if GTK
internal import ImageViews
internal import ImageViewsGTK
internal import Tessera

/// The viewer's window: updates its parts and handles their events.
@MainActor
final class ViewerWindow {
    let interface = GTKInterface()
    let window: GTKObject
    let stage: ZoomableImageWidget
    let strip: ThumbnailStripWidget
    let actions: GTKActions
    let store = PageStore()
    var settings = EffectSettings()
    /// Whether the program is setting the sliders.
    var isSettingSliders = false
    var measuring: Task<Void, Never>?
    private var notice: Task<Void, Never>?
    private var spinning: Task<Void, Never>?
    /// The arguments that the list of images was made from, and the folders that are watched for it.
    var names: [String] = []
    var folders: [String] = []
    var monitors: [FolderMonitor] = []
    var refreshing: Task<Void, Never>?
    private(set) var isClosed = false
    private var showsStrip = true

    init() {
        GTKProgram.prefersDark(true)
        window = interface["window"]
        stage = interface.widget("stage", as: ZoomableImageWidget.self)
        strip = interface.widget("strip", as: ThumbnailStripWidget.self)
        actions = GTKActions(for: window, prefix: "win")
        connect()
        addActions()
        connectEffects()
        update()
    }

    private func connect() {
        stage.page = { [weak self] in self?.store[$0]?.content }
        stage.pageChanged = { [weak self] _ in self?.pageChanged() }
        stage.zoomChanged = { [weak self] in self?.updateZoom() }
        strip.request = { [weak self] index in
            guard let self, store.items.indices.contains(index) else { return nil }
            return store.items[index].thumbnail(160 * strip.scaleFactor)
        }
        strip.selected = { [weak self] in self?.show($0) }
        window.onKey { [weak self] in self?.receive($0) ?? false }
        window.onDrop { [weak self] in
            self?.open($0)
            return true
        }
        window.connect("close-request") { [weak self] _ in
            self?.isClosed = true
            GTKProgram.stop()
            // The window is destroyed after the main loop has ended.
            return true
        }
        window.connect("notify::fullscreened") { [weak self] in self?.fullScreenChanged() }
    }

    func present() {
        window.present()
        interface["stage"].focus()
    }

    func close() {
        isClosed = true
        measuring?.cancel()
        refreshing?.cancel()
        monitors = []
        store.set([])
        interface["shortcuts"].destroy()
        window.destroy()
    }

    // MARK: Images

    var page: ViewerPage? { store[stage.pages.index] }

    /// Opens paths and URLs in place of the current images.
    func open(_ names: [String]) {
        guard !names.isEmpty else { return update() }
        let list = ItemList(names)
        guard !list.items.isEmpty else {
            say("There are no pictures in \(names.joined(separator: ", "))")
            return update()
        }
        (self.names, folders) = (names, list.folders)
        watchFolders()
        store.set(list.items)
        stage.setPages(list.items.count, index: list.index)
        strip.setCount(list.items.count, selection: list.index)
        interface["stage"].focus()
        pageChanged()
    }

    func show(_ index: Int) { stage.show(page: index, animated: GTKProgram.animates) }

    func pageChanged() {
        let index = stage.pages.index
        store.keep(around: index)
        strip.select(index)
        for number in [index - 1, index + 1] { store[number]?.playback?.pause() }
        measuring?.cancel()
        interface["times"].removeAllFromGrid()
        resetSliders(to: page?.effects ?? EffectSettings())
        guard let page else { return update() }
        // Follows the page while it is current.
        follow { [weak self, weak page] in
            guard let self, let page, !isClosed, page === self.page else { return false }
            update()
            return true
        }
    }

    // MARK: Updates

    /// Updates everything but the image.
    func update() {
        let page = page
        let hasItems = !store.items.isEmpty
        interface["welcome"].set("visible", !hasItems)
        interface["strip-panel"].set("reveal-child", store.items.count > 1 && showsStrip && !isFullScreen)
        interface["title"].set("label", page?.item.name ?? "Tessera")
        window.set("title", page.map { "\($0.item.name) – Tessera" } ?? "Tessera")
        stage.setLabel(page?.item.name ?? "No picture")
        strip.setLabel(page.map { "Pictures, \(stage.pages.index + 1) of \(store.items.count): \($0.item.name)" } ?? "")
        let isLoading = page?.isLoading ?? false
        showSpinner(isLoading)
        let plays = page?.content.player?.isPlaying ?? false
        interface["play"].set("visible", page?.content.player != nil)
        interface["play"].set(
            "icon-name", plays ? "media-playback-pause-symbolic" : "media-playback-start-symbolic")
        let isOpen = page?.content.picture != nil
        // The zoom can be set while an image is loading.
        for name in ["larger", "smaller", "one-to-one", "fit", "fill", "turn", "turn-back"] {
            actions.enable(name, isOpen || isLoading)
        }
        actions.enable("copy", isOpen)
        actions.enable("save", isOpen)
        actions.enable("measure", isOpen && page?.tiles != nil)
        actions.enable("play", page?.content.player != nil)
        actions.enable("reload", hasItems)
        actions.enable("next", stage.pages.index + 1 < store.items.count)
        actions.enable("previous", stage.pages.index > 0)
        if let playback = page?.playback, !(page?.hasStarted ?? true) {
            page?.hasStarted = true
            playback.play()
        }
        updateZoom()
        updateInformation()
    }

    /// Shows that an image is loading, if that takes longer than 0.3 s: a shorter flash would only disturb.
    private func showSpinner(_ isLoading: Bool) {
        spinning?.cancel()
        spinning = nil
        guard isLoading else {
            interface["spinner"].set("visible", false)
            return interface["spinner"].set("spinning", false)
        }
        spinning = Task { [weak self] in
            try? await Task.sleep(for: .milliseconds(300))
            guard !Task.isCancelled, let self, !isClosed else { return }
            interface["spinner"].set("visible", true)
            interface["spinner"].set("spinning", true)
        }
    }

    func updateZoom() {
        guard let page, let header = page.header, let zoom = stage.shown?.zoom else {
            interface["subtitle"].set("visible", !store.items.isEmpty)
            interface["subtitle"].set("label", place)
            return interface["zoom-level"].set("label", "–")
        }
        let percent = zoom.zoom * zoom.scaleFactor * 100
        let text = percent < 10 ? "\((percent * 10).rounded() / 10)" : "\(Int(percent.rounded()))"
        interface["zoom-level"].set("label", "\(text) %")
        interface["subtitle"].set("visible", true)
        interface["subtitle"].set("label", "\(place) · \(header.size.width) × \(header.size.height)")
    }

    private var place: String { store.items.isEmpty ? "" : "\(stage.pages.index + 1) of \(store.items.count)" }

    /// Shows a message for five seconds.
    func say(_ message: String) {
        interface["notice-text"].set("label", message)
        interface["notice"].set("reveal-child", true)
        notice?.cancel()
        notice = Task { [weak self] in
            try? await Task.sleep(for: .seconds(5))
            guard !Task.isCancelled, let self, !isClosed else { return }
            interface["notice"].set("reveal-child", false)
        }
    }

    // MARK: Panels

    var isFullScreen: Bool { window.flag("fullscreened") }

    func showStrip(_ isShown: Bool) {
        showsStrip = isShown
        update()
    }

    private func fullScreenChanged() {
        actions.setSwitch("fullscreen", isFullScreen)
        update()
    }

    /// Shows or hides a side panel; only one is open at a time.
    func showPanel(_ name: String, _ isShown: Bool) {
        let other = name == "information" ? "effects" : "information"
        interface["\(name)-panel"].set("reveal-child", isShown)
        if isShown {
            interface["\(other)-panel"].set("reveal-child", false)
            actions.setSwitch(other, false)
        }
        updateInformation()
    }
}
#endif
