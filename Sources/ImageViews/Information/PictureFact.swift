package import ImageFormats
internal import Raster

/// A line about an image: a name and a value, which can be a link.
package struct PictureFact: Hashable, Sendable {
    package let name: String
    package let value: String
    package let address: String?

    package init(_ name: String, _ value: String, address: String? = nil) {
        (self.name, self.value, self.address) = (name, value, address)
    }
}

extension PictureFact {
    /// The lines about an image and how it was taken.
    /// - Parameters:
    ///   - frameCount: The number of frames or pages; nil if it is unknown.
    ///   - dateText: Formats a date as the user does; nil for an invalid one.
    package static func facts(
        of header: ImageHeader, frameCount: Int? = nil, dateText: (ImageDate) -> String?
    ) -> [PictureFact] {
        var facts = [
            PictureFact("Format", header.format.name + (header.isProgressive ? ", progressive" : "")),
            PictureFact("Dimensions", dimensions(header.size)),
            PictureFact(
                "Colours",
                "\(name(header.colorModel)), \(header.bitsPerChannel) bits" + (header.hasAlpha ? ", transparency" : "")),
            PictureFact("Profile", header.profile.name ?? "unnamed"),
        ]
        if let count = frameCount ?? header.sequence?.count, count > 1 {
            facts.append(PictureFact(header.sequence?.kind == .pages ? "Pages" : "Frames", "\(count)"))
        }
        return facts + shot(header.metadata, dateText)
    }

    /// A length in bytes: `812 bytes`, `13.1 kB`.
    package static func byteText(_ count: Int) -> String {
        var (value, unit) = (Double(count), "bytes")
        for next in ["kB", "MB", "GB"] where value >= 1000 { (value, unit) = (value / 1000, next) }
        return unit == "bytes" ? "\(Int(value)) bytes" : "\((value * 10).rounded() / 10) \(unit)"
    }

    /// How, when and where a photograph was taken.
    private static func shot(_ metadata: ImageMetadata, _ dateText: (ImageDate) -> String?) -> [PictureFact] {
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
        var facts: [PictureFact] = []
        if let date = metadata.dates.original { facts.append(PictureFact("Taken", dateText(date) ?? date.exifText)) }
        let (make, model) = (value("Make"), value("Model"))
        let repeatsMaker = model?.lowercased().hasPrefix(make?.lowercased() ?? "") ?? false
        let camera = [repeatsMaker ? nil : make, model].compactMap { $0 }.joined(separator: " ")
        if !camera.isEmpty { facts.append(PictureFact("Camera", camera)) }
        if let lens = value("LensModel") { facts.append(PictureFact("Lens", lens)) }
        let exposure = [
            value("ExposureTime").map { "\($0) s" }, value("FNumber").map { "f/\($0)" },
            value("FocalLength").map { "\($0) mm" },
        ].compactMap { $0 }.joined(separator: " · ")
        if !exposure.isEmpty { facts.append(PictureFact("Exposure", exposure)) }
        if let speed = value("ISO") { facts.append(PictureFact("ISO", speed)) }
        if let latitude = value("GPSLatitude").flatMap(Double.init),
            let longitude = value("GPSLongitude").flatMap(Double.init), abs(latitude) <= 90, abs(longitude) <= 180
        {
            let place = "\(rounded(latitude)), \(rounded(longitude))"
            let query = "mlat=\(rounded(latitude))&mlon=\(rounded(longitude))"
            let map = "https://www.openstreetmap.org/?\(query)#map=15/\(rounded(latitude))/\(rounded(longitude))"
            facts.append(PictureFact("Place", place, address: map))
        }
        return facts
    }

    /// To a ten-thousandth of a degree, 11 m.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 10_000).rounded() / 10_000 }

    private static func dimensions(_ size: PixelSize) -> String {
        let megapixels = (Double(size.pixelCount) / 100_000).rounded() / 10
        return "\(size.width) × \(size.height)" + (megapixels >= 0.1 ? ", \(megapixels) megapixels" : "")
    }

    private static func name(_ model: ImageHeader.ColorModel) -> String {
        switch model {
        case .gray: "grey"
        case .rgb: "RGB"
        case .indexed: "palette"
        case .cmyk: "CMYK"
        }
    }
}
