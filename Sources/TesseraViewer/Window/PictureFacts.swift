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
    static func information(_ page: ViewerPage) -> [Fact] {
        var facts = [Fact("Name", page.item.name)]
        facts.append(Fact(page.item.path == nil ? "Server" : "Folder", page.item.place.printable))
        if let message = page.content.message { facts.append(Fact("Error", message)) }
        let status = page.item.path.flatMap { FileStatus(path: $0) }
        if let status { facts.append(Fact("File size", bytes(Double(status.byteCount)))) }
        if let header = page.header {
            facts.append(Fact("Format", header.format.name + (header.isProgressive ? ", progressive" : "")))
            facts.append(Fact("Dimensions", dimensions(header.size)))
            facts.append(
                Fact("Colours", "\(name(header.colorModel)), \(header.bitsPerChannel) bits" + alpha(header)))
            facts.append(Fact("Profile", header.profile.name ?? "unnamed"))
            facts += dynamicRange(header, page.gainMap)
            if let count = page.content.player?.animation.frameCount ?? header.sequence?.count, count > 1 {
                facts.append(Fact(header.sequence?.kind == .pages ? "Pages" : "Frames", "\(count)"))
            }
            facts += shot(header.metadata)
        }
        if let status, let text = Desktop.text(time: status.modificationTime.seconds) {
            facts.append(Fact("Changed", text))
        }
        return facts
    }

    /// The lines of the developer panel.
    static func inside(_ page: ViewerPage) -> [Fact] {
        var facts: [Fact] = []
        if let header = page.header, header.metadata.orientation != .up {
            facts.append(Fact("Stored", "turned: \(header.metadata.orientation)"))
        }
        if let tiles = page.tiles { facts.append(Fact("Tiles", name(tiles.access))) }
        if let time = page.openingTime { facts.append(Fact("Opened in", time.readable)) }
        return facts
    }

    /// The dynamic range of the file, and of what is shown: GTK 4 has windows in standard range only.
    private static func dynamicRange(_ header: ImageHeader, _ map: GainMap?) -> [Fact] {
        var facts: [Fact] = []
        if let name = header.profile.highDynamicRangeName {
            facts.append(Fact("Dynamic range", "\(name), compressed to this display's"))
        }
        if let map {
            let stops = max(map.metadata.baseHeadroom, map.metadata.alternateHeadroom)
            let headroom = "\((stops * 10).rounded() / 10) stops above white"
            if facts.isEmpty { facts.append(Fact("Dynamic range", "\(headroom), shown without them")) }
            facts.append(Fact("Gain map", "\(map.image.size), \(headroom)"))
        }
        return facts
    }

    /// How, when and where a photograph was taken.
    private static func shot(_ metadata: ImageMetadata) -> [Fact] {
        let values = Dictionary(
            FileMetadata.values(of: metadata).filter { $0.group == .exif }
                .map { ($0.name, $0.values.joined(separator: ", ")) },
            uniquingKeysWith: { first, _ in first })
        func value(_ name: String) -> String? {
            let text = values[name].map {
                String($0.unicodeScalars.filter { !$0.properties.isWhitespace || $0 == " " })
            }
            return text.flatMap { $0.isEmpty ? nil : $0 }
        }
        var facts: [Fact] = []
        if let date = metadata.dates.original {
            let text = Desktop.text(
                year: date.year, month: date.month, day: date.day, hour: date.hour, minute: date.minute,
                second: date.second)
            facts.append(Fact("Taken", text ?? date.exifText))
        }
        let (make, model) = (value("Make"), value("Model"))
        let repeatsMaker = model?.lowercased().hasPrefix(make?.lowercased() ?? "") ?? false
        let camera = [repeatsMaker ? nil : make, model].compactMap { $0 }.joined(separator: " ")
        if !camera.isEmpty { facts.append(Fact("Camera", camera)) }
        if let lens = value("LensModel") { facts.append(Fact("Lens", lens)) }
        let exposure = [
            value("ExposureTime").map { "\($0) s" }, value("FNumber").map { "f/\($0)" },
            value("FocalLength").map { "\($0) mm" },
        ].compactMap { $0 }.joined(separator: " · ")
        if !exposure.isEmpty { facts.append(Fact("Exposure", exposure)) }
        if let speed = value("ISO") { facts.append(Fact("ISO", speed)) }
        if let latitude = value("GPSLatitude").flatMap(Double.init),
            let longitude = value("GPSLongitude").flatMap(Double.init), abs(latitude) <= 90, abs(longitude) <= 180
        {
            let place = "\(rounded(latitude)), \(rounded(longitude))"
            let query = "mlat=\(rounded(latitude))&mlon=\(rounded(longitude))"
            let map = "https://www.openstreetmap.org/?\(query)#map=15/\(rounded(latitude))/\(rounded(longitude))"
            facts.append(Fact("Place", place, address: map))
        }
        return facts
    }

    /// To a ten-thousandth of a degree, 11 m.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 10_000).rounded() / 10_000 }

    private static func dimensions(_ size: PixelSize) -> String {
        let megapixels = (Double(size.pixelCount) / 100_000).rounded() / 10
        return "\(size.width) × \(size.height)" + (megapixels >= 0.1 ? ", \(megapixels) megapixels" : "")
    }

    private static func alpha(_ header: ImageHeader) -> String { header.hasAlpha ? ", transparency" : "" }

    private static func name(_ model: ImageHeader.ColorModel) -> String {
        switch model {
        case .gray: "grey"
        case .rgb: "RGB"
        case .indexed: "palette"
        case .cmyk: "CMYK"
        }
    }

    private static func name(_ access: TiledImage.Access) -> String {
        switch access {
        case .stored: "read from the file"
        case .indexed: "decoded on demand"
        case .decoded: "decoded once"
        }
    }

    private static func bytes(_ count: Double) -> String {
        var (value, unit) = (count, "bytes")
        for next in ["kB", "MB", "GB"] where value >= 1000 { (value, unit) = (value / 1000, next) }
        return unit == "bytes" ? "\(Int(value)) bytes" : "\((value * 10).rounded() / 10) \(unit)"
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
