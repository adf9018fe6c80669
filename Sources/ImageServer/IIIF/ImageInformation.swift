internal import ImageFormats
internal import ImagePyramid
package import Raster

/// What `info.json` says of a picture (IIIF Image API 3.0, 5; 2.1, 5).
package struct ImageInformation: Sendable {
    package let version: IIIFVersion
    /// The picture's address, whole, without a slash at its end.
    package let id: String
    /// Width and height, upright.
    package let size: PixelSize
    /// What is rendered at most.
    package let limits: RenderingLimits
    /// Whether clients should ask for a format that has transparency.
    package let hasAlpha: Bool
    /// Whether there is more in it than grey.
    package let hasColor: Bool
    /// Pixels on the side of the tiles that are best asked for.
    package let tileSize: Int

    /// The information on a picture of `size` at the address `id`.
    package init(
        version: IIIFVersion, id: String, size: PixelSize, limits: RenderingLimits, hasAlpha: Bool = false,
        hasColor: Bool = true, tileSize: Int = 256
    ) {
        self.version = version
        self.id = id
        self.size = size
        self.limits = limits
        self.hasAlpha = hasAlpha
        self.hasColor = hasColor
        self.tileSize = tileSize
    }

    /// The document, in UTF-8.
    package var json: [UInt8] {
        var object = JSONObject()
        object["@context"] = .text(version.context)
        object[version == .v3 ? "id" : "@id"] = .text(id)
        if version == .v3 { object["type"] = .text("ImageService3") }
        object["protocol"] = .text("http://iiif.io/api/image")
        object["profile"] =
            version == .v3 ? .text("level2") : .array([.text(version.profile), .object(limitMembers + extraMembers)])
        object["width"] = .number(size.width)
        object["height"] = .number(size.height)
        if version == .v3 { for (name, value) in limitMembers { object[name] = value } }
        if let geometry = try? PyramidGeometry(size: size, tileSize: tileSize) {
            object["sizes"] = .array(sizes(geometry))
            if isWithinLimits(PixelSize(width: tileSize, height: tileSize)) {
                let factors = geometry.levels.indices.map { JSONObject.Value.number(1 << $0) }
                object["tiles"] = .array([
                    .object([("width", .number(tileSize)), ("scaleFactors", .array(factors))])
                ])
            }
        }
        if version == .v3 {
            if hasAlpha { object["preferredFormats"] = .array([.text("png")]) }
            for (name, value) in extraMembers { object[name] = value }
        }
        return Array(object.text.utf8)
    }

    /// The sizes of the levels that may be had whole, the smallest first.
    private func sizes(_ geometry: PyramidGeometry) -> [JSONObject.Value] {
        geometry.levels.reversed().filter(isWithinLimits).map {
            .object([("width", .number($0.width)), ("height", .number($0.height))])
        }
    }

    private func isWithinLimits(_ size: PixelSize) -> Bool {
        size.width <= limits.maximumWidth && size.height <= limits.maximumHeight
            && size.pixelCount <= limits.maximumArea
    }

    private var limitMembers: [(String, JSONObject.Value)] {
        let limits = limits.limits(for: size)
        return [
            ("maxWidth", .number(limits.maximumWidth)), ("maxHeight", .number(limits.maximumHeight)),
            ("maxArea", .number(limits.maximumArea)),
        ]
    }

    /// What there is beyond level 2.
    private var extraMembers: [(String, JSONObject.Value)] {
        let formats = IIIFFormat.extra.map { JSONObject.Value.text(IIIFFormat.name(of: $0)) }
        var features = ["canonicalLinkHeader", "mirroring", "profileLinkHeader", "rotationArbitrary"]
        if version == .v2 { features.append("regionSquare") }
        if limits.allowsUpscaling { features.append(version == .v3 ? "sizeUpscaling" : "sizeAboveFull") }
        let qualities = (hasColor ? ["color"] : []) + ["gray", "bitonal"]
        var members: [(String, JSONObject.Value)] = []
        // Level 2 of version 2 has all qualities.
        if version == .v3 { members.append(("extraQualities", .array(qualities.map { .text($0) }))) }
        if !formats.isEmpty { members.append((version == .v3 ? "extraFormats" : "formats", .array(formats))) }
        members.append((version == .v3 ? "extraFeatures" : "supports", .array(features.map { .text($0) })))
        return members
    }
}
