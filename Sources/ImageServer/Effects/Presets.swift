internal import ImageFormats
internal import Raster

/// Named queries of `/image/ID`: with `thumbnail` for `w=200&h=200`, `?preset=thumbnail` is short for that.
struct Presets: Sendable {
    /// The item of a query that names a preset.
    private static let item = "preset"

    private let items: [String: [(name: String, value: String)]]
    /// Whether unsigned requests for images must be presets.
    private let areRequired: Bool

    /// - Throws: `invalidParameter` for a preset that isn't a valid query.
    init(_ configuration: ImageServerConfiguration) throws(ImageError) {
        var items: [String: [(name: String, value: String)]] = [:]
        for (name, query) in configuration.presets {
            do throws(RequestFailure) {
                let query = try URLQuery(query)
                _ = try EffectQuery(query)
                items[name] = query.items
            } catch {
                throw ImageError(.invalidParameter, "the preset \(name.quotedForPeople): \(error.message)")
            }
        }
        guard !items.isEmpty || !configuration.requiresPresets else {
            throw ImageError(.invalidParameter, "presets are required, and there are none")
        }
        self.items = items
        areRequired = configuration.requiresPresets
    }

    /// Returns a query's items with those of its preset in the place of the name.
    /// - Throws: 400 for an unknown preset.
    func expanding(_ query: URLQuery) throws(RequestFailure) -> [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        for item in query.items {
            guard item.name == Self.item, !items.isEmpty else {
                result.append(item)
                continue
            }
            guard let preset = items[item.value] else {
                throw RequestFailure(
                    400,
                    "there is no preset \(item.value.quotedForPeople); there is \(items.keys.sorted().joined(separator: ", "))"
                )
            }
            result += preset
        }
        return result
    }

    /// Whether a request is open to all because it asks for a preset and nothing else.
    func areAll(of segments: [String], _ query: URLQuery) -> Bool {
        areRequired && segments.first == "image" && query.items.count == 1 && query.items[0].name == Self.item
    }

    /// Checks an unsigned request.
    /// - Throws: 403 for an image that isn't asked for by a preset.
    func check(_ route: Route, _ segments: [String], _ query: URLQuery) throws(RequestFailure) {
        guard areRequired, route.kind == .image, !areAll(of: segments, query) else { return }
        throw RequestFailure(
            403, "only presets are answered here, as /image/ID?preset=\(items.keys.sorted().first ?? "")")
    }
}
