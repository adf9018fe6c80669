#if GTK
internal import ImageFormats
internal import ImageViews
internal import ImageViewsGTK
internal import Platform
internal import Tessera

extension ViewerWindow {
    /// The paths of the marked images, or of the current one; those without a file are left out.
    var chosenPaths: [String] {
        let indices = strip.marks.isEmpty ? [stage.pages.index] : strip.marks.sorted()
        return indices.compactMap { store.items.indices.contains($0) ? store.items[$0].path : nil }
    }

    // MARK: The trash

    /// Moves the marked images, or the current one, to the trash.
    func trash() {
        let paths = chosenPaths
        guard !paths.isEmpty else { return say("Only files can be moved to the trash") }
        var taken: [TrashedFile] = []
        var failure: ImageError?
        for path in paths {
            do throws(ImageError) {
                taken.append(try TrashCan.take(path))
            } catch {
                failure = error
                break
            }
        }
        if !taken.isEmpty {
            trashed = taken
            hidden.formUnion(paths.prefix(taken.count))
            actions.enable("undo", true)
            strip.setMarks([])
            refresh()
        }
        if let failure { return say("\(failure)") }
        let name = paths.count == 1 ? store.name(ofPath: paths[0]) : "\(paths.count) pictures"
        say("Moved \(name) to the trash", offersUndo: true)
    }

    /// Brings back what was moved to the trash last.
    func undo() {
        let files = trashed
        trashed = []
        actions.enable("undo", false)
        var restored: [String] = []
        do throws(ImageError) {
            for file in files {
                try file.restore()
                restored.append(file.original)
            }
            say(files.count == 1 ? "Brought back" : "Brought back \(files.count) pictures")
        } catch {
            say("\(error)")
        }
        hidden.subtract(restored)
        refresh()
        if let index = store.items.firstIndex(where: { $0.path == restored.first }) { show(index) }
    }

    // MARK: Other programs and the desktop

    func openWith() {
        Desktop.openWith(chosenPaths, for: window) { [weak self] in self?.say("The program can't be started: \($0)") }
    }

    func setWallpaper() {
        guard let path = page?.item.path else { return say("Only a file can be the wallpaper") }
        say(Desktop.setWallpaper(path) ? "Set as wallpaper" : "This desktop has no setting for its wallpaper")
    }

    /// Shows the print dialog for the image as shown. Paper has at most as many dots as 16 megapixels.
    func printPicture() {
        guard let page, let zoom = stage.shown?.zoom else { return }
        let (settings, orientation, tiles, name) = (page.effects, zoom.orientation, page.tiles, page.item.name)
        let frame = page.content.player?.image
        Task { [weak self] in
            do {
                let bitmap = try await Self.picture(tiles, frame, settings, orientation, pixelCount: 16_000_000)
                guard let self, !isClosed else { return }
                try Desktop.print(bitmap, name: name, for: window) { [weak self] in
                    self?.say("It can't be printed: \($0)")
                }
            } catch {
                self?.say("It can't be printed: \(error)")
            }
        }
    }

    /// Shows images in the colours of the monitor that the window is on.
    func followMonitorColors() {
        Desktop.followMonitorProfile(of: window) { [weak self] path in
            guard let self, !isClosed else { return }
            let bytes = path.flatMap { try? Source(path: $0).bytes(limit: 16 << 20) }
            Texture.displayColors = bytes.flatMap { DisplayColors(profile: $0) }
            stage.colorsChanged()
            strip.setCount(store.items.count, selection: stage.pages.index)
        }
    }

    // MARK: Slideshow

    /// Seconds for which a slideshow shows each image.
    private static let slideDuration = Duration.seconds(5)

    /// Starts or ends a slideshow: full screen, from image to image, and from the last to the first.
    func runSlideshow(_ runs: Bool) {
        slides?.cancel()
        slides = nil
        actions.setSwitch("slideshow", runs)
        guard runs else { return }
        guard store.items.count > 1 else {
            actions.setSwitch("slideshow", false)
            return say("A slideshow needs two pictures or more")
        }
        window.set("fullscreened", true)
        slides = Task { [weak self] in
            while true {
                try? await Task.sleep(for: Self.slideDuration)
                guard !Task.isCancelled, let self, !isClosed else { return }
                // An image that still loads has its time when it is there.
                if page?.isLoading ?? false { continue }
                let next = stage.pages.index + 1
                if next < store.items.count { show(next) } else { show(0) }
            }
        }
    }

    // MARK: The welcome page

    private static let recentCount = 6

    /// Lists the recent files.
    func fillWelcome() {
        let box = interface["recent"]
        box.removeAllFromBox()
        let paths = Desktop.recentFiles.filter { FileStatus(path: $0) != nil }.prefix(Self.recentCount)
        interface["recent-panel"].set("visible", !paths.isEmpty)
        for path in paths {
            guard let button = GTKObject(typeName: "GtkButton") else { return }
            let name = (path.split(separator: "/").last.map(String.init) ?? path).printable
            button.set("label", name)
            button.set("tooltip-text", path.printable)
            button.set("has-frame", false)
            button.setClass("recent")
            button.connect("clicked") { [weak self] in self?.open([path]) }
            box.append(button)
        }
    }
}
#endif
