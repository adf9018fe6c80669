#if GTK
internal import ImageViews
internal import ImageViewsGTK
internal import Platform
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
    /// The order of folders' images; of all, once one was chosen.
    var order = ViewerState.order
    var isSorted = false
    var includesSubfolders: Bool
    /// The files that were moved to the trash last, and the paths of all of them.
    var trashed: [TrashedFile] = []
    var hidden: Set<String> = []
    var saving: Task<Void, Never>?
    var slides: Task<Void, Never>?
    var controls: Task<Void, Never>?
    var counting: Task<Void, Never>?
    /// The page whose histogram is shown or being counted.
    weak var histogramPage: ViewerPage?
    var shownInformation: InformationState?
    /// The lines of each panel's grid.
    var shownFacts: [OpaquePointer: [PictureFact]] = [:]
    /// The pointer's last place; nil until it moves.
    var pointer: ViewPoint?
    var windowSize = ViewSize.zero

    init(includesSubfolders: Bool = false) {
        self.includesSubfolders = includesSubfolders
        GTKProgram.followColorScheme()
        window = interface["window"]
        stage = interface.widget("stage", as: ZoomableImageWidget.self)
        strip = interface.widget("strip", as: ThumbnailStripWidget.self)
        actions = GTKActions(for: window, prefix: "win")
        connect()
        connectControls()
        addActions()
        actions.enable("undo", false)
        connectEffects()
        update()
    }

    private func connect() {
        stage.page = { [weak self] in self?.store[$0]?.content }
        stage.pageChanged = { [weak self] _ in self?.pageChanged() }
        stage.zoomChanged = { [weak self] in self?.updateZoom() }
        stage.cropChanged = { [weak self] in self?.updateCrop() }
        strip.marksChanged = { [weak self] in self?.updateZoom() }
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
        followSize()
        followMonitorColors()
        interface["stage"].focus()
    }

    func close() {
        isClosed = true
        for task in [measuring, refreshing, saving, slides, controls, counting] { task?.cancel() }
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
        let list = ItemList(names, order: order, subfolders: includesSubfolders)
        guard !list.items.isEmpty else {
            say("There are no pictures in \(names.map(\.printable).joined(separator: ", "))")
            return update()
        }
        (self.names, folders, isSorted, hidden) = (names, list.folders, false, [])
        if let path = list.items[list.index].path { Desktop.addRecent(path) }
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
        endCrop()
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
        if !hasItems { fillWelcome() }
        interface["welcome"].set("visible", !hasItems)
        if !hasItems { interface["controls"].set("reveal-child", false) }
        let damage = page?.damage
        interface["warning"].set("visible", damage != nil)
        if let damage { interface["warning-text"].set("label", Self.warning(damage)) }
        interface["strip-panel"].set("reveal-child", store.items.count > 1 && showsStrip && !isFullScreen)
        interface["title"].set("label", page?.item.name ?? "Tessera")
        interface["title"].set("tooltip-text", page?.item.name ?? "")
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
        actions.enable("print", isOpen)
        let isFile = page?.item.path != nil
        for name in ["trash", "open-with", "wallpaper"] { actions.enable(name, isFile) }
        actions.enable("crop", isOpen && canCrop)
        actions.enable("slideshow", store.items.count > 1)
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
        updateEffects()
        updateInformation()
    }

    /// The text of the bar over a damaged file.
    private static func warning(_ error: ImageError) -> String {
        let what =
            error.code == .truncated
            ? "This file ends too early, so only a part of the picture is here" : "A part of this picture is damaged"
        return "\(what): \(error.description.printable)"
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
        guard let page, let header = page.header, let zoom = page.zoom, let scale = stage.shown?.zoom.scaleFactor else {
            interface["subtitle"].set("visible", !store.items.isEmpty)
            interface["subtitle"].set("label", place)
            return interface["zoom-level"].set("label", "–")
        }
        let percent = zoom * scale * 100
        let text = percent < 10 ? "\((percent * 10).rounded() / 10)" : "\(Int(percent.rounded()))"
        interface["zoom-level"].set("label", "\(text) %")
        interface["subtitle"].set("visible", true)
        interface["subtitle"].set("label", "\(place) · \(header.size.width) × \(header.size.height)")
    }

    private var place: String {
        guard !store.items.isEmpty else { return "" }
        let marks = strip.marks.count
        return "\(stage.pages.index + 1) of \(store.items.count)" + (marks > 0 ? ", \(marks) marked" : "")
    }

    /// Shows a message for five seconds, or ten with a button.
    func say(_ message: String, offersUndo: Bool = false) {
        interface["notice-text"].set("label", message.printable)
        interface["notice-button"].set("label", "Undo")
        interface["notice-button"].set("action-name", "win.undo")
        interface["notice-button"].set("visible", offersUndo)
        interface["notice-progress"].set("visible", false)
        interface["notice"].set("reveal-child", true)
        notice?.cancel()
        notice = Task { [weak self] in
            try? await Task.sleep(for: .seconds(offersUndo ? 10 : 5))
            guard !Task.isCancelled, let self, !isClosed else { return }
            interface["notice"].set("reveal-child", false)
        }
    }

    /// Shows a message with a bar and a button that cancels, until the next message.
    func showSaving(_ message: String) {
        say(message)
        notice?.cancel()
        interface["notice-button"].set("label", "Cancel")
        interface["notice-button"].set("action-name", "win.cancel-saving")
        interface["notice-button"].set("visible", true)
        interface["notice-progress"].set("fraction", 0.0)
        interface["notice-progress"].set("visible", true)
    }

    // MARK: Full screen

    var isFullScreen: Bool { window.flag("fullscreened") }

    func showStrip(_ isShown: Bool) {
        showsStrip = isShown
        update()
    }

    private func fullScreenChanged() {
        actions.setSwitch("fullscreen", isFullScreen)
        interface["leave"].set("visible", isFullScreen)
        if !isFullScreen, slides != nil { runSlideshow(false) }
        showControls()
        update()
    }
}
#endif
