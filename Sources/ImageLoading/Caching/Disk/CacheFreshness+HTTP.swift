extension CacheFreshness {
    /// What a response says, or its dates suggest (RFC 9111, sections 4.2.1 and 4.2.2, for a private cache).
    ///
    /// Without a word of the server's, a version is good for a tenth of the time since it changed, a day at most.
    /// - Parameter time: When the response arrived, in seconds since 1970.
    public init(response: DataResponse, receivedAt time: Int64) {
        let headers = response.headers
        let control = CacheControl(headers)
        let date = headers["Date"].flatMap { HTTPDate.secondsSince1970($0.trimmedHTTPWhitespace) }
        // A clock that runs ahead of the server's must not age what has just arrived; one that runs behind can't.
        let apparentAge = date.map { max(0, time - $0) } ?? 0
        let age = max(apparentAge, headers["Age"].flatMap { DeltaSeconds.parse($0.trimmedHTTPWhitespace) } ?? 0)
        let lifetime: Int64
        if control.noStore || control.noCache {
            lifetime = 0
        } else if let maximumAge = control.maximumAge {
            lifetime = maximumAge
        } else if let expires = headers["Expires"] {
            // A date that can't be read, such as 0, is past (section 5.3).
            lifetime = HTTPDate.secondsSince1970(expires.trimmedHTTPWhitespace).map { $0 - (date ?? time) } ?? 0
        } else if let changed = headers["Last-Modified"].flatMap({
            HTTPDate.secondsSince1970($0.trimmedHTTPWhitespace)
        }) {
            lifetime = min(((date ?? time) - changed) / 10, 86400)
        } else {
            lifetime = 0
        }
        self.init(validatedAt: time, lifetime: max(0, lifetime - age))
    }
}
