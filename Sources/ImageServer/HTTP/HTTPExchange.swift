#if Server
internal import HTTPTypes
internal import Hummingbird
internal import ImageLoading
internal import NIOCore
internal import NIOHTTPTypes

/// Converts the service's responses to Hummingbird's types.
enum HTTPExchange {
    static func head(_ response: ServiceResponse) -> HTTPResponse {
        var fields = HTTPFields()
        for (name, value) in response.fields {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        if response.status != 304, response.status != 204 {
            fields[.contentLength] = String(response.byteCount)
        }
        fields[.server] = "Tessera"
        return HTTPResponse(status: HTTPResponse.Status(code: response.status), headerFields: fields)
    }

    /// Reserves memory for sending `body`.
    /// - Returns: Nil if unread responses have reached the limit.
    static func lease(_ body: ServiceResponse.Body, _ outgoing: OutgoingBytes) -> OutgoingBytes.Lease? {
        switch body {
        case .none: OutgoingBytes.Lease.none
        case .bytes(let bytes): outgoing.lease(bytes.buffer)
        case .file(_, let range): outgoing.lease(byteCount: min(range.count, FilePieces.byteCount))
        }
    }

    /// The body of a response, sent in pieces as the client reads it.
    /// - Parameter onEnd: Called once the body is sent or the client has disconnected.
    static func body(
        _ body: ServiceResponse.Body, to channel: any Channel, onEnd: @escaping @Sendable () -> Void = {}
    ) -> ResponseBody {
        switch body {
        case .none:
            onEnd()
            return ResponseBody()
        case .bytes(let bytes):
            guard bytes.count > HotResponse.largestBody else {
                onEnd()
                return ResponseBody(byteBuffer: bytes.buffer)
            }
            return ResponseBody(contentLength: bytes.count) { writer in
                defer { onEnd() }
                var rest = bytes.buffer
                while let piece = rest.readSlice(length: min(rest.readableBytes, HotResponse.largestBody)),
                    piece.readableBytes > 0
                { try await send(piece, to: channel) }
                try await writer.finish(nil)
            }
        case .file(let file, let range):
            return ResponseBody(contentLength: range.count) { writer in
                defer { onEnd() }
                var start = range.lowerBound
                while start < range.upperBound {
                    let end = min(range.upperBound, start + FilePieces.byteCount)
                    try await send(FilePieces.read(file, start..<end), to: channel)
                    start = end
                }
                try await writer.finish(nil)
            }
        }
    }

    /// Sends a piece and waits until the system has taken it. A writer's `write` waits only for the event loop to
    /// notice backpressure; before a busy one does, whole files would be in memory.
    private static func send(_ piece: NIOCore.ByteBuffer, to channel: any Channel) async throws {
        try await channel.writeAndFlush(HTTPResponsePart.body(piece))
    }
}

/// A complete response that is sent again after a lookup by address only.
struct HotResponse: Sendable {
    let head: HTTPResponse
    /// The authority in the client's request, and what a proxy has added, which links in the head contain.
    let authority: String?
    let forwarding: Forwarding
    let body: ByteBuffer
    let entityTag: String
    /// The file's last modification, in seconds since 1970.
    let modificationTime: Int64
    /// The time after which the file must be checked again.
    let expiration: NIODeadline

    /// How long a file is assumed to be unchanged.
    static let lifetime = TimeAmount.seconds(1)

    /// The largest body that is sent at once; larger ones are sent in pieces as the client reads them.
    static let largestBody = 256 << 10

    /// - Returns: Nil unless the response is a small 200 with a source file and without `Vary`.
    init?(_ response: ServiceResponse, head: HTTPResponse, authority: String?, forwarding: Forwarding = .none) {
        guard response.status == 200, let source = response.source, response["Vary"] == nil,
            let tag = response["ETag"], case .bytes(let bytes) = response.body, bytes.count <= Self.largestBody
        else { return nil }
        self.head = head
        self.authority = authority
        self.forwarding = forwarding
        body = bytes.buffer
        entityTag = tag
        modificationTime = source.modificationTime.seconds
        expiration = .now() + Self.lifetime
    }

    /// Whether the client already has this response.
    func isUnchanged(for request: HTTPRequest) -> Bool {
        let fields = request.headerFields
        return EntityTag.isCurrent(
            entityTag, modificationTime, ifNoneMatch: fields[.ifNoneMatch], ifModifiedSince: fields[.ifModifiedSince])
    }
}
#endif
