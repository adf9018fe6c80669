#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Where a response sends the request on to (RFC 9110, section 15.4).
package enum HTTPRedirect {
    /// The request that follows; nil where the response is the final one.
    /// - Throws: `DataTransportFailure` where it leads away from HTTP: a server must not open files.
    package static func next(_ request: DataRequest, status: Int, location: String?) throws(DataLoadingError)
        -> DataRequest?
    {
        guard [301, 302, 303, 307, 308].contains(status), let location = location?.trimmedHTTPWhitespace else {
            return nil
        }
        guard let url = URL(string: location, relativeTo: request.url)?.absoluteURL, let scheme = scheme(url),
            scheme == "http" || scheme == "https", url.host() ?? "" != ""
        else {
            throw .transport(
                DataTransportFailure(.invalidResponse, "the server redirects to \(location), which isn't HTTP"))
        }
        var next = request
        next.url = url
        if scheme != Self.scheme(request.url) || url.host()?.lowercased() != request.url.host()?.lowercased()
            || url.port != request.url.port
        {
            // What tells one server who asks is none of another's business.
            for name in ["Authorization", "Cookie", "Proxy-Authorization", "Origin"] { next.headers[name] = nil }
        }
        return next
    }

    private static func scheme(_ url: URL) -> String? { url.scheme?.lowercased() }
}
