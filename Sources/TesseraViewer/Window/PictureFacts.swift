#if GTK
internal import Essentials
internal import ImageFormats
internal import ImageViews
internal import ImageViewsGTK
internal import Platform
internal import Tessera

/// The lines of the panels on an image.
@MainActor
enum PictureFacts {
    /// The lines of the information panel.
    static func information(_ page: ViewerPage) -> [PictureFact] {
        var facts = [PictureFact("Name", page.item.name)]
        facts.append(PictureFact(page.item.path == nil ? "Server" : "Folder", page.item.place.printable))
        if let message = page.content.message { facts.append(PictureFact("Error", message)) }
        let status = page.item.path.flatMap { FileStatus(path: $0) }
        if let status { facts.append(PictureFact("File size", PictureFact.byteText(status.byteCount))) }
        if let header = page.header {
            facts += PictureFact.facts(of: header, frameCount: page.content.player?.animation.frameCount) { date in
                Desktop.text(
                    year: date.year, month: date.month, day: date.day, hour: date.hour, minute: date.minute,
                    second: date.second)
            }
            facts += dynamicRange(header, page.gainMap)
        }
        if let status, let text = Desktop.text(time: status.modificationTime.seconds) {
            facts.append(PictureFact("Changed", text))
        }
        return facts
    }

    /// The lines of the developer panel.
    static func inside(_ page: ViewerPage) -> [PictureFact] {
        var facts: [PictureFact] = []
        if let header = page.header, header.metadata.orientation != .up {
            facts.append(PictureFact("Stored", "turned: \(header.metadata.orientation)"))
        }
        if let tiles = page.tiles { facts.append(PictureFact("Tiles", name(tiles.access))) }
        if let time = page.openingTime { facts.append(PictureFact("Opened in", time.readable)) }
        return facts
    }

    /// The dynamic range of the file, and of what is shown: GTK 4 has windows in standard range only.
    private static func dynamicRange(_ header: ImageHeader, _ map: GainMap?) -> [PictureFact] {
        var facts: [PictureFact] = []
        if let name = header.profile.highDynamicRangeName {
            facts.append(PictureFact("Dynamic range", "\(name), compressed to this display's"))
        }
        if let map {
            let stops = max(map.metadata.baseHeadroom, map.metadata.alternateHeadroom)
            let headroom = "\((stops * 10).rounded() / 10) stops above white"
            if facts.isEmpty { facts.append(PictureFact("Dynamic range", "\(headroom), shown without them")) }
            facts.append(PictureFact("Gain map", "\(map.image.size), \(headroom)"))
        }
        return facts
    }

    private static func name(_ access: TiledImage.Access) -> String {
        switch access {
        case .stored: "read from the file"
        case .indexed: "decoded on demand"
        case .decoded: "decoded once"
        }
    }
}

extension Duration {
    /// The time for display: `12.3 ms`.
    var readable: String {
        let milliseconds = self / .milliseconds(1)
        if milliseconds >= 1000 { return "\((milliseconds / 10).rounded() / 100) s" }
        return "\((milliseconds * 10).rounded() / 10) ms"
    }
}
#endif
