internal import Essentials
internal import ImageFormats
package import Raster

/// An operator's HTTP service that decides who may see an image, and the login services of the IIIF Authorization Flow API.
///
/// For an image, the server asks `GET URL?image=ID` with the client's values of `forwardedFields`, for a listing
/// `GET URL?folder=PATH`. Statuses 200 to 299 allow it; 401, 403 and 404 refuse it with that status; anything else, and no
/// response within `timeout`, refuses it with 503. An answer is reused for the same image and values for the `max-age` of
/// its `Cache-Control`.
public struct AuthorizationService: Sendable {
    /// The service's address, `http://` or `https://`; its query is kept.
    public var url: String
    /// The header fields of requests that the service decides by.
    public var forwardedFields = ["Authorization", "Cookie"]
    /// The longest that the service may take.
    public var timeout = Duration.seconds(5)
    /// The access token service of IIIF Authorization Flow 2.0. With it, `info.json` is open to all and names the services.
    public var tokenService: String?
    /// The access service, a page where people log in; nil if they are logged in elsewhere.
    public var accessService: String?

    /// A service that is told `Authorization` and `Cookie`.
    public init(url: String) { self.url = url }

    /// Checks the addresses and names.
    /// - Throws: `invalidParameter` for addresses that aren't HTTP's, and for invalid names of fields.
    package func validate() throws(ImageError) {
        for address in [url, tokenService, accessService].compactMap(\.self) {
            let isHTTP = address.hasPrefix("http://") || address.hasPrefix("https://")
            guard isHTTP, let host = URL(string: address)?.host(), !host.isEmpty else {
                throw ImageError(
                    .invalidParameter,
                    "invalid address \(address.quotedForPeople): write one as in http://127.0.0.1:9000/may-see")
            }
        }
        for name in forwardedFields {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }) else {
                throw ImageError(
                    .invalidParameter, "invalid header field \(name.quotedForPeople): write its name, as in Cookie")
            }
        }
    }
}
