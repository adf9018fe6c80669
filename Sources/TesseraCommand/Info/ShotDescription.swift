internal import ImageFormats
internal import Tessera

/// How and where a photograph was taken, by its EXIF block, as `info` prints it.
struct ShotDescription {
    private let values: [String: String]

    /// Reads the tags of a file.
    init(_ metadata: ImageMetadata) {
        values = Dictionary(
            FileMetadata.values(of: metadata).filter { $0.group == .exif }.map { ($0.name, $0.values.joined()) },
            uniquingKeysWith: { first, _ in first })
    }

    private func value(_ name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0.withoutControls }
    }

    /// The maker and the model; makers whose name the model begins with aren't repeated.
    private var camera: String? {
        guard let model = value("Model") else { return value("Make") }
        guard let make = value("Make"), !model.lowercased().hasPrefix(make.lowercased()) else { return model }
        return "\(make) \(model)"
    }

    private var exposure: String? {
        let parts = [
            value("ExposureTime").map { "\($0) s" }, value("FNumber").map { "f/\($0)" },
            value("FocalLength").map { "\($0) mm" },
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private var place: String? {
        guard let latitude = value("GPSLatitude"), let longitude = value("GPSLongitude") else { return nil }
        return "\(latitude), \(longitude)" + (value("GPSAltitude").map { ", \($0) m" } ?? "")
    }

    /// The description as pairs of a name and a value.
    var text: [(String, String)] {
        [
            ("camera", camera), ("lens", value("LensModel")), ("exposure", exposure), ("ISO", value("ISO")),
            ("place", place),
        ]
        .compactMap { name, value in value.map { (name, $0) } }
    }

    /// The description as members of a JSON object; numbers as in EXIF, null where the file has none.
    var json: [(String, JSONValue)] {
        func number(_ name: String) -> JSONValue { value(name).flatMap { Double($0) }.map { JSONValue($0) } ?? .null }
        func string(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return [
            ("camera", string(camera)), ("lens", string(value("LensModel"))),
            ("exposureTime", string(value("ExposureTime"))), ("fNumber", number("FNumber")),
            ("focalLength", number("FocalLength")), ("iso", number("ISO")), ("latitude", number("GPSLatitude")),
            ("longitude", number("GPSLongitude")),
        ]
    }
}
