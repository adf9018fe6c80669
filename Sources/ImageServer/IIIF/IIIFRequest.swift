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
