/// What HTTP's status codes are called (RFC 9110, section 15), of those that downloads meet.
enum HTTPStatus {
    /// Such as `404 (not found)`.
    static func description(_ code: Int) -> String {
        guard let name = names[code] else { return "\(code)" }
        return "\(code) (\(name))"
    }

    private static let names: [Int: String] = [
        204: "no content", 301: "moved permanently", 302: "found", 304: "not modified", 400: "bad request",
        401: "unauthorized", 403: "forbidden", 404: "not found", 405: "method not allowed", 406: "not acceptable",
        407: "proxy authentication required", 408: "request timeout", 410: "gone", 412: "precondition failed",
        416: "range not satisfiable", 429: "too many requests", 451: "unavailable for legal reasons",
        500: "internal server error", 501: "not implemented", 502: "bad gateway", 503: "service unavailable",
        504: "gateway timeout",
    ]
}
