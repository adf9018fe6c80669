#if GTK
internal import ImageLoading
internal import ImageViewsGTK
internal import ImageViews
internal import Raster
internal import Tessera

extension ViewerWindow {
    /// Fills the information and developer panels if they are open.
    func updateInformation() {
        if interface["information-panel"].flag("reveal-child") {
            page?.findGainMap()
            let state = page.map { InformationState($0) }
            // Reading them from the file takes longer than a frame of a movement, which also leads here.
            if state == nil || state != shownInformation {
                fill(interface["facts"], page.map { PictureFacts.information($0) } ?? [])
                shownInformation = state
            }
            updateHistogram()
        }
        if interface["developer-panel"].flag("reveal-child") {
            fill(interface["inside"], page.map { PictureFacts.inside($0) } ?? [])
        }
    }

    /// Counts the pixels of the page's image, once.
    private func updateHistogram() {
        guard let page, histogramPage !== page || page.content.picture == nil else { return }
        counting?.cancel()
        interface["histogram"].set("visible", false)
        guard let tiles = page.tiles else { return histogramPage = page.content.player == nil ? nil : page }
        histogramPage = page
        counting = Task { [weak self, weak page] in
            let drawing = try? await Self.histogram(of: tiles)
            guard !Task.isCancelled, let self, !isClosed, page === self.page, let drawing,
                let texture = try? Texture(drawing)
            else { return }
            interface["histogram"].set("paintable", texture.object)
            interface["histogram"].set("visible", true)
        }
    }

    private nonisolated static func histogram(of tiles: TiledImage) async throws -> Bitmap {
        let overview = try await tiles.overview(maximumSide: 512)
        return try await ImageExecutor.shared.run { () throws(ImageError) in
            try Histogram(overview).drawing(height: 96)
        }
    }

    /// Decodes the image in three ways and shows the time of each.
    func measure() {
        guard let page, let path = page.item.path else { return say("Only files are measured") }
        measuring?.cancel()
        fill(interface["times"], [PictureFact("Measuring", "…")])
        measuring = Task { [weak self] in
            var facts: [PictureFact] = []
            for way in DecodingWay.allCases {
                do {
                    let time = try await way.measure(path)
                    facts.append(PictureFact(way.rawValue, time.readable))
                } catch {
                    facts.append(PictureFact(way.rawValue, "\(error)"))
                }
                guard let self, !Task.isCancelled, !isClosed else { return }
                fill(interface["times"], facts)
            }
        }
    }

    private func fill(_ grid: GTKObject, _ facts: [PictureFact]) {
        guard shownFacts[grid.pointer] != facts else { return }
        shownFacts[grid.pointer] = facts
        grid.removeAllFromGrid()
        for (row, fact) in facts.enumerated() {
            guard let title = GTKObject(typeName: "GtkLabel"), let text = GTKObject(typeName: "GtkLabel") else {
                return
            }
            title.set("label", fact.name)
            title.set("xalign", 0.0)
            title.set("yalign", 0.0)
            title.setClass("fact-name")
            if let address = fact.address {
                text.set("use-markup", true)
                text.set("tooltip-text", "Show it on a map")
                text.set("label", "<a href=\"\(XMLElement.escaped(address))\">\(XMLElement.escaped(fact.value))</a>")
            } else {
                text.set("label", fact.value)
            }
            text.set("xalign", 0.0)
            text.set("wrap", true)
            // File names have no spaces to break lines at.
            text.set("wrap-mode", 2.0)
            text.set("max-width-chars", 24.0)
            text.set("hexpand", true)
            text.set("selectable", true)
            text.set("focusable", fact.address != nil)
            text.setClass("fact")
            grid.attach(title, column: 0, row: row)
            grid.attach(text, column: 1, row: row)
        }
    }

    /// The properties of a page on which its information depends.
    struct InformationState: Equatable {
        private let page: ObjectIdentifier
        private let header: ImageHeader?
        private let message: String?
        private let frameCount: Int?
        private let hasGainMap: Bool

        @MainActor
        init(_ page: ViewerPage) {
            self.page = ObjectIdentifier(page)
            (header, message, frameCount) = (
                page.header, page.content.message, page.content.player?.animation.frameCount
            )
            hasGainMap = page.gainMap != nil
        }
    }
}
#endif
