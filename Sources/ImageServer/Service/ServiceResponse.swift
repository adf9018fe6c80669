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
        if let seconds = failure.retryAfter { fields.append(("Retry-After", String(seconds))) }
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
