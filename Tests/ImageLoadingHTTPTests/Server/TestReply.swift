#if HTTP
import HTTPTypes
import Hummingbird
import ImageLoading

/// What the server answers.
struct TestReply: Sendable {
    /// Ends a response in the middle, with the connection.
    struct Cut: Error {}

    typealias Writer = (inout any ResponseBodyWriter) async throws -> Void

    var status: Int
    var headers: HTTPHeaders
    /// `Content-Length`, true or not; nil to send in chunks.
    var announcedByteCount: Int?
    var body: @Sendable (inout any ResponseBodyWriter) async throws -> Void

    /// A status without a body.
    static func status(_ status: Int, headers: HTTPHeaders = HTTPHeaders()) -> TestReply {
        TestReply(status: status, headers: headers, announcedByteCount: 0) { _ in }
    }

    /// Sends to another address.
    static func redirect(to location: String, status: Int = 302) -> TestReply {
        .status(status, headers: ["Location": location])
    }

    /// The bytes at once, with their length.
    static func bytes(
        _ bytes: [UInt8], type: String = "application/octet-stream", status: Int = 200,
        headers: HTTPHeaders = HTTPHeaders()
    ) -> TestReply {
        var headers = headers
        headers.add("Content-Type", type)
        return TestReply(status: status, headers: headers, announcedByteCount: bytes.count) { writer in
            try await writer.write(ByteBuffer(bytes: bytes))
        }
    }

    /// The same in chunks, so without a length.
    func chunked() -> TestReply {
        var reply = self
        reply.announcedByteCount = nil
        return reply
    }

    /// The same with a length that is none; where it is too long, the connection is closed after the bytes.
    func announcing(_ byteCount: Int) -> TestReply {
        var reply = self
        let (real, body) = (announcedByteCount ?? 0, body)
        reply.announcedByteCount = byteCount
        if byteCount > real {
            reply.body = { writer in
                try await body(&writer)
                throw Cut()
            }
        }
        return reply
    }

    /// The first bytes of so many; then the connection is closed.
    static func cut(
        _ bytes: [UInt8], after count: Int, headers: HTTPHeaders = HTTPHeaders()
    ) -> TestReply {
        TestReply(status: 200, headers: headers, announcedByteCount: bytes.count) { writer in
            try await writer.write(ByteBuffer(bytes: bytes.prefix(count)))
            throw Cut()
        }
    }

    /// The bytes in pieces, with a pause after each, so that they come one by one. Clients see the same bytes however they do.
    static func throttled(
        _ bytes: [UInt8], pieceByteCount: Int, pause: Duration, headers: HTTPHeaders = HTTPHeaders()
    ) -> TestReply {
        TestReply(status: 200, headers: headers, announcedByteCount: bytes.count) { writer in
            for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
                try await writer.write(ByteBuffer(bytes: bytes[start..<min(start + pieceByteCount, bytes.count)]))
                try await Task.sleep(for: pause)
            }
        }
    }

    /// What the test sends, when it does.
    static func held(_ body: HeldBody, byteCount: Int? = nil, headers: HTTPHeaders = HTTPHeaders()) -> TestReply {
        TestReply(status: 200, headers: headers, announcedByteCount: byteCount) { writer in
            for try await piece in body.pieces { try await writer.write(ByteBuffer(bytes: piece)) }
        }
    }

    var response: Response {
        var fields = HTTPFields()
        for field in headers.fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        // A 304 has no body, whatever else it says.
        if let announcedByteCount, status != 304 { fields[.contentLength] = "\(announcedByteCount)" }
        let body = body
        return Response(
            status: HTTPResponse.Status(code: status), headers: fields,
            body: ResponseBody { writer in
                try await body(&writer)
                try await writer.finish(nil)
            })
    }
}
#endif
