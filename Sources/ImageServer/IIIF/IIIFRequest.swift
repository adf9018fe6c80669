package import ImageFormats

/// A request of the IIIF Image API: an image, its `info.json`, or its base address.
package struct IIIFRequest: Hashable, Sendable {
    /// The kind of resource.
    package enum Kind: Hashable, Sendable {
        /// The image's base address, which redirects to its information.
        case base
        /// `info.json`.
        case information
        /// A rendering of the image.
        case image(IIIFImageRequest)
    }

    /// The image's identifier, decoded once.
    package let identifier: String
    /// The requested resource.
    package let kind: Kind

    /// Parses the segments after the prefix, as sent.
    /// - Throws: 404 for a number of segments that matches no request, as with unencoded slashes in an identifier; 400
    ///   for malformed or unsupported parameters.
    package init(_ rawSegments: [String], version: IIIFVersion) throws(RequestFailure) {
        guard let first = rawSegments.first, !first.isEmpty else { throw .noSuchPage }
        let rest = rawSegments.dropFirst()
        // A trailing slash belongs to the same resource.
        if rest.isEmpty || (rest.count == 1 && rest.first == "") {
            kind = .base
        } else if rest.count == 1, try URLPath.decode(rest.first!) == "info.json" {
            kind = .information
        } else if rest.count == 4 {
            var parameters: [String] = []
            for segment in rest { parameters.append(try URLPath.decode(segment)) }
            kind = .image(
                try IIIFImageRequest(
                    region: parameters[0], size: parameters[1], rotation: parameters[2], file: parameters[3],
                    version: version))
        } else {
            throw .noSuchPage
        }
        identifier = try URLPath.decode(first)
    }

    /// The identifier as one percent-encoded segment of a path.
    package var encodedIdentifier: String { URLPath.encode(identifier) }
}

/// The supported versions of the IIIF Image API (iiif.io/api/image).
package enum IIIFVersion: String, Hashable, Sendable, CaseIterable {
    /// 2.1, which includes 2.0.
    case v2
    /// 3.0.
    case v3

    /// The version in addresses: `2` or `3`.
    package var number: Int { self == .v2 ? 2 : 3 }

    /// The JSON-LD context, which defines the terms of `info.json`.
    package var context: String { "http://iiif.io/api/image/\(number)/context.json" }

    /// The document of compliance level 2.
    package var profile: String { "http://iiif.io/api/image/\(number)/level2.json" }

    /// A `Link` header's value for that document.
    package var profileLink: String { "<\(profile)>;rel=\"profile\"" }

    /// The media type of `info.json` for a client's `Accept`, which is nil if the request has none.
    ///
    /// Version 3 prefers JSON-LD unless the client prefers plain JSON; version 2 prefers plain JSON unless the client
    /// names JSON-LD.
    package func mediaType(accepting accept: String?) -> String {
        let header = AcceptHeader(accept)
        let (plain, linked) = (header.weight(of: "application/json"), header.weight(of: "application/ld+json"))
        let namesPlain = (header.weight(named: "application/json") ?? 0) > 0
        let namesLinked = (header.weight(named: "application/ld+json") ?? 0) > 0
        switch self {
        case .v3:
            let wantsPlain = plain > linked || (plain == linked && namesPlain && !namesLinked)
            return wantsPlain ? "application/json" : "application/ld+json;profile=\"\(context)\""
        case .v2:
            return namesLinked && linked >= plain ? "application/ld+json" : "application/json"
        }
    }
}

/// Names of formats in IIIF addresses: the standard's where it has one, and `avif`, `jxl` and `jpng`.
package enum IIIFFormat {
    /// The formats with a name, beginning with JPEG and PNG, which compliance level 2 requires.
    package static let all: [ImageFormat] =
        [.jpeg, .png] + ImageFormat.all.filter { $0.iiifName != nil && $0 != .jpeg && $0 != .png }

    /// The formats beyond JPEG and PNG that `codecs` can encode.
    package static func extra(by codecs: CodecRegistry) -> [ImageFormat] {
        all.dropFirst(2).filter { codecs.canEncode($0) }
    }

    /// The format called `name`, whether or not it can be encoded; nil for an unknown name.
    package static func format(named name: some StringProtocol) -> ImageFormat? {
        all.first { $0.iiifName.map { $0 == name } ?? false }
    }

    /// The format's name, or its file extension if it has no IIIF name.
    package static func name(of format: ImageFormat) -> String {
        format.iiifName ?? format.filenameExtension
    }
}
