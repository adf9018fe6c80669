package import ImageFormats
internal import ImagePyramid
package import Raster

/// The contents of an image's `info.json` (IIIF Image API 3.0, 5; 2.1, 5).
package struct ImageInformation: Sendable {
    package let version: IIIFVersion
    /// The image's complete address, without a trailing slash.
    package let id: String
    /// The size in upright orientation.
    package let size: PixelSize
    /// The limits to declare.
    package let limits: RenderingLimits
    /// Whether to declare PNG as the preferred format (version 3).
    package let hasAlpha: Bool
    /// Whether to declare the quality `color`.
    package let hasColor: Bool
    /// The recommended tile size, in pixels along a side.
    package let tileSize = 256
    /// The services by which clients are authorized (version 3); nil for none.
    package var authorizationServices: JSONValue?
    /// The codecs that determine the declared formats.
    package let codecs: CodecRegistry

    /// Describes an image of `size` at the address `id`.
    package init(
        version: IIIFVersion, id: String, size: PixelSize, limits: RenderingLimits, hasAlpha: Bool = false,
        hasColor: Bool = true, codecs: CodecRegistry = .default
    ) {
        self.version = version
        self.id = id
        self.size = size
        self.limits = limits
        self.hasAlpha = hasAlpha
        self.hasColor = hasColor
        self.codecs = codecs
    }

    /// The document as UTF-8.
    package var json: [UInt8] {
        var context = JSONValue.string(version.context)
        // The image's own context is the last one (IIIF Image API 3.0, 5.1).
        if authorizationServices != nil { context = .array([.string(ImageService.authorizationContext), context]) }
        var members: [(String, JSONValue)] = [("@context", context)]
        switch version {
        case .v3:
            members += [
                ("id", .string(id)), ("type", .string("ImageService3")), ("protocol", .string(Self.protocolName)),
                ("profile", .string("level2")), ("width", .integer(size.width)), ("height", .integer(size.height)),
            ]
            members += limitMembers
        case .v2:
            let profile = JSONValue.array([.string(version.profile), .object(limitMembers + extraMembers)])
            members += [
                ("@id", .string(id)), ("protocol", .string(Self.protocolName)), ("profile", profile),
                ("width", .integer(size.width)), ("height", .integer(size.height)),
            ]
        }
        if let geometry = try? PyramidGeometry(size: size, tileSize: tileSize) {
            members.append(("sizes", .array(sizes(geometry))))
            if limits.contains(PixelSize(width: tileSize, height: tileSize)) {
                let factors = geometry.levels.indices.map { JSONValue.integer(1 << $0) }
                let tile = JSONValue.object([("width", .integer(tileSize)), ("scaleFactors", .array(factors))])
                members.append(("tiles", .array([tile])))
            }
        }
        if version == .v3 {
            if hasAlpha, codecs.canEncode(.png) { members.append(("preferredFormats", .array([.string("png")]))) }
            members += extraMembers
        }
        if let authorizationServices { members.append(("service", authorizationServices)) }
        return Array(JSONValue.object(members).compactText.utf8)
    }

    private static let protocolName = "http://iiif.io/api/image"

    /// The sizes of the pyramid's levels within the limits, smallest first.
    private func sizes(_ geometry: PyramidGeometry) -> [JSONValue] {
        geometry.levels.reversed().filter(limits.contains).map {
            .object([("width", .integer($0.width)), ("height", .integer($0.height))])
        }
    }

    private var limitMembers: [(String, JSONValue)] {
        let limits = limits.limits(for: size)
        return [
            ("maxWidth", .integer(limits.maximumWidth)), ("maxHeight", .integer(limits.maximumHeight)),
            ("maxArea", .integer(limits.maximumArea)),
        ]
    }

    /// The formats, qualities and features beyond compliance level 2.
    private var extraMembers: [(String, JSONValue)] {
        let formats = IIIFFormat.extra(by: codecs).map { JSONValue.string(IIIFFormat.name(of: $0)) }
        var features = ["canonicalLinkHeader", "mirroring", "profileLinkHeader", "rotationArbitrary"]
        if version == .v2 { features.append("regionSquare") }
        if limits.allowsUpscaling { features.append(version == .v3 ? "sizeUpscaling" : "sizeAboveFull") }
        let qualities = (hasColor ? ["color"] : []) + ["gray", "bitonal"]
        var members: [(String, JSONValue)] = []
        // Level 2 of version 2 includes all qualities.
        if version == .v3 { members.append(("extraQualities", .array(qualities.map { .string($0) }))) }
        if !formats.isEmpty { members.append((version == .v3 ? "extraFormats" : "formats", .array(formats))) }
        members.append((version == .v3 ? "extraFeatures" : "supports", .array(features.map { .string($0) })))
        return members
    }
}
