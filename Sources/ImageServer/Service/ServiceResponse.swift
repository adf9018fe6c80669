#if Server
package import NIOCore
#endif

/// What is answered.
package struct ServiceResponse: Sendable {
    /// What follows the header fields.
    package enum Body: Sendable {
        case none
        case bytes(ResponseBytes)
        /// A part of a file, as it is on the disk.
        case file(OpenedFile, Range<Int>)
    }

    package var status: Int
    package var fields: [(name: String, value: String)]
    package var body: Body
    /// The file that this is a picture of, for as long as which it is good; nil for what isn't to be kept by its address.
    package var source: OpenedFile?
    /// Why there is no image; nil for success.
    package var failure: RequestFailure?

    package init(_ status: Int, _ fields: [(name: String, value: String)] = [], body: Body = .none) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A document of this text.
    package init(_ text: String, mediaType: String) {
        self.init(200, [("Content-Type", mediaType)], body: .bytes(ResponseBytes(Array(text.utf8))))
    }

    /// What is said of a request that gets no picture.
    package init(_ failure: RequestFailure) {
        self.init(
            failure.status, [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: .bytes(ResponseBytes(Array((failure.message + "\n").utf8))))
        self.failure = failure
        if let seconds = failure.retryAfter { fields.append(("Retry-After", String(seconds))) }
    }

    /// Has caches keep a response for each value of this header field.
    mutating func addVary(_ name: String) {
        guard let index = fields.firstIndex(where: { $0.name == "Vary" }) else { return fields.append(("Vary", name)) }
        fields[index].value += ", \(name)"
    }

    /// Keeps it from everybody but the client that asked: what it is shown for isn't in the address.
    mutating func makePrivate() {
        if let index = fields.firstIndex(where: { $0.name == "Cache-Control" }) {
            let value = fields[index].value
            fields[index].value = value.hasPrefix("public") ? "private" + value.dropFirst(6) : value
        }
        addVary("Cookie")
        source = nil
    }

    /// Lets nobody keep it for longer than so many seconds.
    mutating func endFreshness(in seconds: Int64) {
        let name = "Cache-Control"
        guard let index = fields.firstIndex(where: { $0.name == name }), let age = maximumAge, age > seconds else {
            return
        }
        fields[index].value = "public, max-age=\(max(0, seconds))"
        // Nor is it to go out again by its address alone.
        if seconds <= 1 { source = nil }
    }

    /// For how many seconds it may be kept, where it says that.
    private var maximumAge: Int64? {
        self["Cache-Control"]?.split(separator: "=").last.flatMap { Int64($0) }
    }

    /// The value of the first field of this name, as it is written here.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// How many bytes the body has.
    package var byteCount: Int {
        switch body {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(_, let range): range.count
        }
    }
}

#if Server
/// Bytes of a response, which all who send them share: what is kept in memory goes out without being copied.
package struct ResponseBytes: Sendable {
    package let buffer: ByteBuffer

    /// Copies `bytes`, once.
    package init(_ bytes: [UInt8]) { buffer = ByteBuffer(bytes: bytes) }

    /// How many there are.
    package var count: Int { buffer.readableBytes }
    /// A copy of them.
    package var array: [UInt8] { Array(buffer.readableBytesView) }
}
#else
/// Bytes of a response, which all who send them share.
package struct ResponseBytes: Sendable {
    /// A copy of them.
    package let array: [UInt8]

    package init(_ bytes: [UInt8]) { array = bytes }

    /// How many there are.
    package var count: Int { array.count }
}
#endif
