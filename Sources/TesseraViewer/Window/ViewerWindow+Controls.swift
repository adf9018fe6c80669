#if GTK
internal import ImageViews
internal import ImageViewsGTK

extension ViewerWindow {
    /// The width in points below which a panel takes the whole window.
    private static let narrowWidth = 620.0
    /// Seconds for which the controls stay after the pointer's last movement.
    private static let controlsDuration = Duration.seconds(3)

    func connectControls() {
        window.onMotion { [weak self] point in self?.pointerMoved(to: point) }
        // GTK leaves the keys to the item of a submenu, which is gone.
        interface["menu-popover"].connect("closed") { [weak self] in self?.interface["stage"].focus() }
        stage.menuAsked = { [weak self] point in self?.openMenu(at: point, of: "stage") }
        strip.menuAsked = { [weak self] point in self?.openMenu(at: point, of: "strip") }
    }

    /// Follows the window's size, once it is shown.
    func followSize() {
        window.onLayout { [weak self] size in
            guard let self else { return }
            windowSize = size
            arrangePanels()
        }
    }

    /// Opens the context menu.
    func openMenu(at point: ViewPoint, of widget: String) {
        guard !store.items.isEmpty, stage.crop == nil else { return }
        interface["content"].openMenu(interface["context-menu"], at: point, of: interface[widget])
    }

    /// Opens the context menu by a key, in the middle of the image.
    func openMenuByKey() {
        openMenu(at: ViewPoint(x: stage.size.width / 2, y: stage.size.height / 2), of: "stage")
    }

    // MARK: Controls over the image

    private func pointerMoved(to point: ViewPoint) {
        // GTK also tells of a pointer at rest when something moves beneath it.
        guard point != pointer else { return }
        let isFirst = pointer == nil
        pointer = point
        if !isFirst { showControls() }
    }

    /// Shows the controls and the pointer until it has rested for a while, elsewhere than on them.
    func showControls() {
        guard !store.items.isEmpty else { return }
        interface["controls"].set("reveal-child", stage.crop == nil)
        interface["stage"].setCursor(nil)
        controls?.cancel()
        controls = Task { [weak self] in
            while true {
                try? await Task.sleep(for: Self.controlsDuration)
                guard !Task.isCancelled, let self, !isClosed else { return }
                if isPointerOnControls { continue }
                interface["controls"].set("reveal-child", false)
                if isFullScreen { interface["stage"].setCursor("none") }
                return
            }
        }
    }

    private var isPointerOnControls: Bool {
        guard let pointer else { return false }
        return pointer.y > windowSize.height - (interface["strip-panel"].flag("reveal-child") ? 170 : 80)
    }

    // MARK: Panels

    private static let panels = ["information", "effects", "developer"]

    /// The name of the open side panel.
    var openPanel: String? { Self.panels.first { interface["\($0)-panel"].flag("reveal-child") } }

    /// Shows or hides a side panel; only one is open at a time.
    func showPanel(_ name: String, _ isShown: Bool) {
        interface["\(name)-panel"].set("reveal-child", isShown)
        if isShown {
            for other in Self.panels where other != name {
                interface["\(other)-panel"].set("reveal-child", false)
                actions.setSwitch(other, false)
            }
        }
        arrangePanels()
        updateInformation()
    }

    /// In a narrow window a panel has the image's place.
    private func arrangePanels() {
        let panel = openPanel
        let coversImage = panel != nil && windowSize.width > 0 && windowSize.width < Self.narrowWidth
        interface["stage-overlay"].set("visible", !coversImage)
        for name in Self.panels { interface["\(name)-panel"].set("hexpand", coversImage && name == panel) }
    }
}
#endif
