#if GTK
internal import Essentials
internal import ImageViews
internal import ImageViewsGTK
internal import Tessera

/// The names and values that the information panel shows for an image.
@MainActor
struct PictureFacts {
    private(set) var rows: [(String, String)] = []

    init(_ page: ViewerPage) {
        rows.append(("Name", page.item.name))
        rows.append((page.item.path == nil ? "Server" : "Folder", page.item.place))
        if let message = page.content.message { rows.append(("Error", message)) }
        guard let header = page.header else { return }
        rows.append(("Format", header.format.name + (header.isProgressive ? ", progressive" : "")))
        rows.append(("Size", "\(header.size.width) × \(header.size.height)"))
        let megapixels = (Double(header.size.pixelCount) / 100_000).rounded() / 10
        if megapixels >= 0.1 { rows.append(("Pixels", "\(megapixels) million")) }
        if let path = page.item.path,
            let count = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64
        {
            rows.append(("File", Self.bytes(Double(count))))
        }
        rows.append(("Colours", "\(Self.name(header.colorModel)), \(header.bitsPerChannel) bits"))
        rows.append(("Alpha", header.hasAlpha ? "yes" : "no"))
        rows.append(("Profile", Self.name(header.profile)))
        if header.metadata.orientation != .up { rows.append(("Stored", "turned: \(header.metadata.orientation)")) }
        if let count = page.content.player?.animation.frameCount ?? header.sequence?.count, count > 1 {
            rows.append((header.sequence?.kind == .pages ? "Pages" : "Frames", "\(count)"))
        }
        if let date = header.metadata.dates.original { rows.append(("Taken", date.exifText)) }
        if let tiles = page.tiles { rows.append(("Tiles", Self.name(tiles.access))) }
        if let time = page.openingTime { rows.append(("Opened in", time.readable)) }
    }

    private static func name(_ model: ImageHeader.ColorModel) -> String {
        switch model {
        case .gray: "grey"
        case .rgb: "RGB"
        case .indexed: "palette"
        case .cmyk: "CMYK"
        }
    }

    private static func name(_ profile: ColorProfile) -> String {
        switch profile {
        case .sRGB: "sRGB"
        case .icc: "ICC"
        case .calibrated: "calibrated"
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
