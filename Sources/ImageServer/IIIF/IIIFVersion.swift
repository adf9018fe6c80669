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
}
