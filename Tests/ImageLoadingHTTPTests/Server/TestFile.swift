#if HTTP
import ImageLoading

/// A file that the server has: it answers conditions and ranges as servers do, or as they shouldn't.
struct TestFile: Sendable {
    var bytes: [UInt8]
    var type = "application/octet-stream"
    var entityTag: String?
    var lastModified: String?
    var cacheControl: String?
    /// Whether parts are served.
    var servesRanges = true
    /// Whether parts are served of whatever version there is.
    var ignoresIfRange = false
    /// Where the connection is closed, of every response that has so many bytes.
    var cutsAfter: Int?

    init(
        _ bytes: [UInt8], type: String = "application/octet-stream", entityTag: String? = nil,
        lastModified: String? = nil,
        cacheControl: String? = nil
    ) {
        self.bytes = bytes
        self.type = type
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.cacheControl = cacheControl
    }

    func reply(to request: TestRequest) -> TestReply {
        var headers = HTTPHeaders()
        headers["ETag"] = entityTag
        headers["Last-Modified"] = lastModified
        headers["Cache-Control"] = cacheControl
        if isConfirmed(request) { return .status(304, headers: headers) }
        if servesRanges { headers["Accept-Ranges"] = "bytes" }
        if let first = firstByte(request) {
            guard first < bytes.count else {
                return .status(416, headers: ["Content-Range": "bytes */\(bytes.count)"])
            }
            headers["Content-Range"] = "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"
            return cut(.bytes(Array(bytes[first...]), type: type, status: 206, headers: headers), bytes.count - first)
        }
        return cut(.bytes(bytes, type: type, headers: headers), bytes.count)
    }

    private func cut(_ reply: TestReply, _ count: Int) -> TestReply {
        guard let cutsAfter, cutsAfter < count else { return reply }
        var short = TestReply.cut(
            Array(bytes[(bytes.count - count)...]), after: cutsAfter, headers: reply.headers)
        short.status = reply.status
        return short
    }

    private func isConfirmed(_ request: TestRequest) -> Bool {
        if let tags = request.headers["If-None-Match"] { return tags == entityTag }
        if let date = request.headers["If-Modified-Since"] { return date == lastModified }
        return false
    }

    private func firstByte(_ request: TestRequest) -> Int? {
        guard servesRanges, let range = request.headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else {
            return nil
        }
        if !ignoresIfRange, let version = request.headers["If-Range"], version != entityTag, version != lastModified {
            return nil
        }
        return Int(range.dropFirst(6).dropLast())
    }
}
#endif
