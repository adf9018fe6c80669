#if Server
package import NIOCore
#endif

/// An HTTP response of the service.
package struct ServiceResponse: Sendable {
    /// The content after the header fields.
    package enum Body: Sendable {
        case none
        case bytes(ResponseBytes)
        /// A byte range of a file.
        case file(OpenedFile, Range<Int>)
    }

    package var status: Int
    package var fields: [(name: String, value: String)]
    package var body: Body
    /// The file that this response was rendered from, whose version it stays valid for; nil if it must not be cached by
    /// its address alone.
    package var source: OpenedFile?
    /// The reason for an error response; nil for success.
    package var failure: RequestFailure?

    package init(_ status: Int, _ fields: [(name: String, value: String)] = [], body: Body = .none) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A response with status 200 and the text as UTF-8.
    package init(_ text: String, mediaType: String) {
        self.init(200, [("Content-Type", mediaType)], body: .bytes(ResponseBytes(Array(text.utf8))))
    }

    /// A plain-text error response.
    package init(_ failure: RequestFailure) {
        self.init(
            failure.status, [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: .bytes(ResponseBytes(Array((failure.message + "\n").utf8))))
        self.failure = failure
        if let seconds = failure.retryAfter { fields.append(("Retry-After", String(seconds))) }
    }

    /// Adds a header field's name to `Vary`.
    mutating func addVary(_ name: String) {
        guard let index = fields.firstIndex(where: { $0.name == "Vary" }) else { return fields.append(("Vary", name)) }
        fields[index].value += ", \(name)"
    }

    /// Restricts caching to the client, because the response depends on a cookie.
    mutating func makePrivate() {
        if let index = fields.firstIndex(where: { $0.name == "Cache-Control" }) {
            let value = fields[index].value
            fields[index].value = value.hasPrefix("public") ? "private" + value.dropFirst(6) : value
        }
        addVary("Cookie")
        source = nil
    }

    /// Limits `max-age` to a number of seconds.
    mutating func endFreshness(in seconds: Int64) {
        let name = "Cache-Control"
        guard let index = fields.firstIndex(where: { $0.name == name }), let age = maximumAge, age > seconds else {
            return
        }
        fields[index].value = "public, max-age=\(max(0, seconds))"
        // Don't send it again by its address alone either.
        if seconds <= 1 { source = nil }
    }

    /// The seconds in `Cache-Control`; nil if there are none.
    private var maximumAge: Int64? {
        self["Cache-Control"]?.split(separator: "=").last.flatMap { Int64($0) }
    }

    /// The value of the first field with this name, compared case-sensitively.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The length of the body.
    package var byteCount: Int {
        switch body {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(_, let range): range.count
        }
    }
}

#if Server
/// The bytes of a response in a shared buffer: cached responses are sent without copying.
package struct ResponseBytes: Sendable {
    package let buffer: ByteBuffer

    /// Copies `bytes` into the buffer.
    package init(_ bytes: [UInt8]) { buffer = ByteBuffer(bytes: bytes) }

    /// In bytes.
    package var count: Int { buffer.readableBytes }
    /// A copy of the bytes.
    package var array: [UInt8] { Array(buffer.readableBytesView) }
}
#else
/// The bytes of a response.
package struct ResponseBytes: Sendable {
    /// The bytes, without a copy.
    package let array: [UInt8]

    package init(_ bytes: [UInt8]) { array = bytes }

    /// In bytes.
    package var count: Int { array.count }
}
#endif
