/// When a server wants to be asked again (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// In how many seconds, which the server gives as a number or as a date; nil where it doesn't, or makes no sense.
    static func seconds(_ headers: HTTPHeaders, now: Int64) -> Int64? {
        guard let value = headers["Retry-After"]?.trimmedHTTPWhitespace else { return nil }
        if let seconds = DeltaSeconds.parse(value) { return seconds }
        guard let date = HTTPDate.secondsSince1970(value) else { return nil }
        return max(0, date - now)
    }
}
