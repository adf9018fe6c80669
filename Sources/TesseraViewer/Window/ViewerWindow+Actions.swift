#if GTK
internal import ImageViews
internal import ImageViewsGTK

extension ViewerWindow {
    func addActions() {
        add("open") { $0.choose(.openFiles, title: "Open Pictures") }
        add("open-folder") { $0.choose(.openFolder, title: "Open a Folder") }
        add("save") { $0.chooseCopy() }
        add("print") { $0.printPicture() }
        add("trash") { $0.trash() }
        add("undo") { $0.undo() }
        add("open-with") { $0.openWith() }
        add("wallpaper") { $0.setWallpaper() }
        add("crop") { $0.beginCrop() }
        add("save-crop") { $0.saveCrop() }
        add("cancel-crop") { $0.endCrop() }
        add("cancel-saving") { $0.saving?.cancel() }
        add("menu") { $0.openMenuByKey() }
        add("copy") { $0.copyPicture() }
        add("reload") { $0.reload() }
        add("previous") { $0.show($0.stage.pages.index - 1) }
        add("next") { $0.show($0.stage.pages.index + 1) }
        add("first") { $0.show(0) }
        add("last") { $0.show($0.store.items.count - 1) }
        add("larger") { $0.stage.zoom(bySteps: 1) }
        add("smaller") { $0.stage.zoom(bySteps: -1) }
        add("fit") { $0.stage.fit() }
        add("fill") { $0.stage.fill() }
        add("one-to-one") { $0.stage.oneToOne() }
        add("turn") { $0.stage.rotate(by: 1) }
        add("turn-back") { $0.stage.rotate(by: -1) }
        add("play") { $0.playOrPause() }
        add("measure") { $0.measure() }
        add("reset-effects") { $0.setEffects(EffectSettings()) }
        add("shortcuts") { $0.interface["shortcuts"].present() }
        add("close") { $0.window.close() }
        addSwitch("fullscreen", false) { $0.window.set("fullscreened", $1) }
        addSwitch("thumbnails", true) { $0.showStrip($1) }
        addSwitch("information", false) { $0.showPanel("information", $1) }
        addSwitch("effects", false) { $0.showPanel("effects", $1) }
        addSwitch("developer", false) { $0.showPanel("developer", $1) }
        addSwitch("slideshow", false) { $0.runSlideshow($1) }
        addSwitch("descending", order.isDescending) { window, isOn in window.sort { $0.isDescending = isOn } }
        addSwitch("subfolders", includesSubfolders) { $0.includeSubfolders($1) }
        actions.addSelection("sort", order.key.rawValue) { [weak self] value in
            self?.sort { $0.key = ItemOrder.Key(rawValue: value) ?? .name }
        }
        actions.addSelection("ground", stage.ground.rawValue) { [weak self] value in
            self?.stage.ground = ZoomableImageWidget.Ground(rawValue: value) ?? .chequers
        }
    }

    private func add(_ name: String, _ body: @escaping @MainActor (ViewerWindow) -> Void) {
        actions.add(name) { [weak self] in if let self { body(self) } }
    }

    private func addSwitch(_ name: String, _ isOn: Bool, _ body: @escaping @MainActor (ViewerWindow, Bool) -> Void) {
        actions.addSwitch(name, isOn) { [weak self] isOn in if let self { body(self, isOn) } }
    }

    /// Keys without modifiers, and their actions.
    private static let keys: [String: String] = [
        "Right": "next", "Page_Down": "next", "space": "next", "Left": "previous", "Page_Up": "previous",
        "BackSpace": "previous", "Home": "first", "End": "last", "plus": "larger", "KP_Add": "larger",
        "minus": "smaller", "KP_Subtract": "smaller", "0": "fit", "1": "one-to-one", "2": "fill", "r": "turn",
        "R": "turn-back", "f": "fullscreen", "F11": "fullscreen", "t": "thumbnails", "i": "information",
        "F9": "information", "e": "effects", "p": "play", "c": "crop", "s": "slideshow",
        "Delete": "trash", "KP_Delete": "trash", "Menu": "menu", "F5": "reload", "F1": "shortcuts",
        "question": "shortcuts",
    ]
    private static let controlKeys: [String: String] = [
        "o": "open", "O": "open-folder", "s": "save", "c": "copy", "p": "print", "z": "undo", "D": "developer",
        "w": "close", "q": "close", "r": "reload",
        "plus": "larger", "minus": "smaller", "0": "fit",
    ]

    /// Runs the action of a key that nothing else has handled.
    func receive(_ key: GTKEvent) -> Bool {
        guard !key.modifiers.contains(.alt) else { return false }
        if key.text == "Escape" { return leave() }
        if stage.crop != nil, key.text == "Return" || key.text == "KP_Enter" {
            saveCrop()
            return true
        }
        if key.text == "F10", key.modifiers == .shift {
            openMenuByKey()
            return true
        }
        let keys = key.modifiers.contains(.control) ? Self.controlKeys : Self.keys
        guard let action = keys[key.text] else { return false }
        window.activate("win.\(action)")
        return true
    }

    /// Ends cropping, a slideshow, full screen or marking, or else closes the open panel; false if there is none of them.
    private func leave() -> Bool {
        if stage.crop != nil {
            endCrop()
            return true
        }
        if slides != nil { runSlideshow(false) }
        if isFullScreen {
            window.set("fullscreened", false)
            return true
        }
        if !strip.marks.isEmpty {
            strip.setMarks([])
            return true
        }
        guard let panel = openPanel else { return false }
        showPanel(panel, false)
        actions.setSwitch(panel, false)
        interface["stage"].focus()
        return true
    }

    private func reload() {
        page?.reload()
        strip.setCount(store.items.count, selection: stage.pages.index)
        stage.redraw()
    }

    func playOrPause() {
        guard let page, let playback = page.playback else { return }
        if playback.player.isPlaying { playback.pause() } else { playback.play() }
        update()
    }
}
#endif
