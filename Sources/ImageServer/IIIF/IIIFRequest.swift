package import ImageFormats

/// What is asked for at an address of the IIIF Image API.
package struct IIIFRequest: Hashable, Sendable {
    /// The kinds of requests.
    package enum Kind: Hashable, Sendable {
        /// The picture itself, which is answered with where its information is.
        case base
        /// `info.json`.
        case information
        /// A picture made of it.
        case image(IIIFImageRequest)
    }

    /// The picture, decoded once.
    package let identifier: String
    /// What of it.
    package let kind: Kind

    /// The request in the segments that follow the prefix, as they were sent.
    /// - Throws: 404 where their number isn't that of any request, as with an identifier whose slashes aren't encoded,
    ///   and 400 for parameters that aren't well-formed or not supported.
    package init(_ rawSegments: [String], version: IIIFVersion) throws(RequestFailure) {
        guard let first = rawSegments.first, !first.isEmpty else { throw .noSuchPage }
        let rest = rawSegments.dropFirst()
        // An address with a slash at its end is that of the same picture.
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

    /// The identifier as a segment of an address.
    package var encodedIdentifier: String { URLPath.encode(identifier) }
}

/// The versions of the IIIF Image API that are spoken (iiif.io/api/image).
package enum IIIFVersion: String, Hashable, Sendable, CaseIterable {
    /// 2.1, and 2.0 with it.
    case v2
    /// 3.0.
    case v3

    /// Its number in addresses: `2`.
    package var number: Int { self == .v2 ? 2 : 3 }

    /// The document that says what the words in `info.json` mean.
    package var context: String { "http://iiif.io/api/image/\(number)/context.json" }

    /// The document that says what this server can do at the least.
    package var profile: String { "http://iiif.io/api/image/\(number)/level2.json" }

    /// The value of a link header that names that document.
    package var profileLink: String { "<\(profile)>;rel=\"profile\"" }

    /// The media type of `info.json` for a client whose `Accept` this is; nil for one that sends none.
    ///
    /// In version 3 it is JSON-LD unless plain JSON is wanted more, in version 2 plain JSON unless JSON-LD is named.
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

/// What formats are called in IIIF addresses: the standard's names where it has one, and `avif`, `jxl` and `jpng`.
package enum IIIFFormat {
    /// The formats that are served, the two that every client may count on first.
    package static let all: [ImageFormat] =
        [.jpeg, .png] + ImageFormat.all.filter { $0.iiifName != nil && $0 != .jpeg && $0 != .png }

    /// Those of them that a client can't count on, as far as `codecs` can write them.
    package static func extra(by codecs: CodecRegistry) -> [ImageFormat] {
        all.dropFirst(2).filter { codecs.canEncode($0) }
    }

    /// The format called `name`, whether or not it can be written; nil for names that aren't known.
    package static func format(named name: some StringProtocol) -> ImageFormat? {
        all.first { $0.iiifName.map { $0 == name } ?? false }
    }

    /// What a format is called.
    package static func name(of format: ImageFormat) -> String {
        format.iiifName ?? format.filenameExtension
    }
}
