internal import ImageFormats
internal import Raster
internal import Tessera

/// The description of a file's gain map that `info` prints.
struct GainMapDescription {
    private let map: GainMap?
    private let error: ImageError?

    /// Reads the map's header; nil if the file has no gain map.
    init?(_ source: Source, _ header: ImageHeader, options: DecodingOptions) {
        var options = options
        // A base in high dynamic range is shown in its own, too.
        options.color = .asStored
        do throws(ImageError) {
            guard let map = try ImageSource.gainMap(in: source, header: header, options: options) else { return nil }
            (self.map, error) = (map, nil)
        } catch {
            (map, self.error) = (nil, error)
        }
    }

    /// The description as a line.
    var text: String {
        guard let map else { return error.map { "unusable: \($0)" } ?? "" }
        let metadata = map.metadata
        let channels = [metadata.red, metadata.green, metadata.blue]
        let least = channels.map(\.minimum).min() ?? 0
        let most = channels.map(\.maximum).max() ?? 0
        let colors = map.image.info.format.isGray ? "grey" : "RGB"
        return "\(map.image.size), \(colors), \(stops(least)) to \(stops(most)) stops, "
            + "headroom \(stops(metadata.alternateHeadroom)) stops"
            + (metadata.isBaseHigher ? " down from \(stops(metadata.baseHeadroom))" : "")
    }

    /// The description as JSON.
    var json: JSONValue {
        guard let map else { return .object([("error", .string(error?.message ?? ""))]) }
        let metadata = map.metadata
        func list(_ value: (GainMapMetadata.Channel) -> Double) -> JSONValue {
            .array([metadata.red, metadata.green, metadata.blue].map { .number(value($0)) })
        }
        return .object([
            ("width", .integer(map.image.size.width)), ("height", .integer(map.image.size.height)),
            ("gray", .boolean(map.image.info.format.isGray)),
            ("minimum", list(\.minimum)), ("maximum", list(\.maximum)), ("gamma", list(\.gamma)),
            ("baseOffset", list(\.baseOffset)), ("alternateOffset", list(\.alternateOffset)),
            ("baseHeadroom", .number(metadata.baseHeadroom)),
            ("alternateHeadroom", .number(metadata.alternateHeadroom)),
            ("usesBaseColorSpace", .boolean(metadata.usesBaseColorSpace)),
        ])
    }

    private func stops(_ value: Double) -> String { value.formatted(decimals: value == value.rounded() ? 0 : 2) }
}
