#if GTK
internal import ImageViewsGTK
internal import ImageViews
internal import Tessera

extension ViewerWindow {
    /// Fills the information panel if it is open.
    func updateInformation() {
        guard interface["information-panel"].flag("reveal-child") else { return }
        let facts = page.map { PictureFacts($0).rows } ?? []
        fill(interface["facts"], facts)
    }

    /// Decodes the image in three ways and shows the time of each.
    func measure() {
        guard let page, let path = page.item.path else { return say("Only files are measured") }
        measuring?.cancel()
        fill(interface["times"], [("Measuring", "…")])
        measuring = Task { [weak self] in
            var rows: [(String, String)] = []
            for way in DecodingWay.allCases {
                do {
                    let time = try await way.measure(path)
                    rows.append((way.rawValue, time.readable))
                } catch {
                    rows.append((way.rawValue, "\(error)"))
                }
                guard let self, !Task.isCancelled, !isClosed else { return }
                fill(interface["times"], rows)
            }
        }
    }

    private func fill(_ grid: GTKObject, _ rows: [(String, String)]) {
        grid.removeAllFromGrid()
        for (row, (name, value)) in rows.enumerated() {
            guard let title = GTKObject(typeName: "GtkLabel"), let text = GTKObject(typeName: "GtkLabel") else {
                return
            }
            title.set("label", name)
            title.set("xalign", 0.0)
            title.set("yalign", 0.0)
            title.setClass("fact-name")
            text.set("label", value)
            text.set("xalign", 0.0)
            text.set("wrap", true)
            // File names have no spaces to break lines at.
            text.set("wrap-mode", 2.0)
            text.set("max-width-chars", 24.0)
            text.set("hexpand", true)
            text.set("selectable", true)
            text.set("focusable", false)
            text.setClass("fact")
            grid.attach(title, column: 0, row: row)
            grid.attach(text, column: 1, row: row)
        }
    }
}
#endif
