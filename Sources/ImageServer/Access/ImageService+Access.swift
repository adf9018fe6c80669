#if Server
internal import ImageLoading

extension ImageService {
    /// The access that a request's signature grants.
    struct Opening {
        /// The last valid second since 1970; nil for no end.
        var end: Int64?
        /// Whether a session cookie grants it, so that the address alone doesn't.
        var isByCookie = false
        /// The redirect that starts a session; nil if the request needs none.
        var session: ServiceResponse?
    }

    /// Checks a request's signature: that of its address, that of a prefix in its path, or that of a prefix in a
    /// session cookie, which pages opened by prefix set.
    /// - Returns: The path's segments and the request, without a prefix's signature.
    /// - Throws: 403 for a missing, invalid or expired signature.
    func authorize(
        _ segments: [String], _ request: ServiceRequest, by signature: URLSignature, now: Int64
    ) throws(RequestFailure) -> ([String], ServiceRequest, Opening) {
        var request = request
        if segments.first == SignedPrefix.segment, segments.count > 2 {
            let rest = Array(segments.dropFirst(2))
            let (prefix, end) = try signature.check(token: segments[1], now: now)
            guard let route = Route.matching(rest) else { throw .noSuchPage }
            var opening = Opening(end: end)
            if route.kind == .page {
                opening.session = session(of: prefix, segments[1], end.map { $0 - now }, to: rest, request)
            } else if route.access == .signed || route.access == .operator {
                throw .unsigned
            }
            request.pathPrefix = "/\(segments[0])/\(segments[1])"
            request.grant = Grant([prefix])
            return (rest, request, opening)
        }
        // Paths without a route need a signature too, so that responses don't reveal which paths exist.
        let access = Route.matching(segments)?.access ?? .signed
        if access == .public || access == .operator { return (segments, request, Opening()) }
        if URLSignature.Parts(request.target).items.contains(where: { URLSignature.Parts.name($0) == "sig" }) {
            return (segments, request, Opening(end: try signature.check(request.target, now: now)))
        }
        guard access != .signed else { throw .unsigned }
        var prefixes: [SignedPrefix] = []
        var end: Int64?
        var failure = RequestFailure.unsigned
        for token in Self.tokens(in: request.cookie) {
            do throws(RequestFailure) {
                let (prefix, last) = try signature.check(token: token, now: now)
                prefixes.append(prefix)
                if let last { end = min(end ?? last, last) }
            } catch {
                failure = error
            }
        }
        guard !prefixes.isEmpty else { throw failure }
        request.grant = Grant(prefixes)
        return (segments, request, Opening(end: end, isByCookie: true))
    }

    // MARK: Sessions

    private static let cookieName = "tessera-session"
    /// The most session cookies of a request that are checked; others are ignored.
    private static let maximumSessionCount = 16

    private static func tokens(in cookie: String?) -> some Sequence<Substring> {
        (cookie ?? "").split(separator: ";").lazy.map { $0.drop { $0 == " " } }.filter { $0.hasPrefix(cookieName) }
            .compactMap { pair in pair.firstIndex(of: "=").map { pair[pair.index(after: $0)...] } }
            .prefix(maximumSessionCount)
    }

    /// Sets a session cookie with the prefix's signature, and redirects to the page.
    private func session(
        of prefix: SignedPrefix, _ token: String, _ seconds: Int64?, to segments: [String], _ request: ServiceRequest
    ) -> ServiceResponse {
        // A cookie for each prefix, so that a second album doesn't end the first one's session.
        let name = "\(Self.cookieName)-\(StableHash(prefix.text.utf8).half)"
        // Lax: with Strict, the browser wouldn't send the cookie after following a link in a message.
        var cookie = "\(name)=\(token); Path=\(request.basePath)/; HttpOnly; SameSite=Lax"
        if let seconds { cookie += "; Max-Age=\(seconds)" }
        if request.origin.hasPrefix("https:") { cookie += "; Secure" }
        let query = request.target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(request.target[$0...]) } ?? ""
        return ServiceResponse(
            303,
            [
                ("Location", "\(request.basePath)/\(segments.joined(separator: "/"))\(query)"), ("Set-Cookie", cookie),
                ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
            ])
    }
}
#endif
