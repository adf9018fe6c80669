#if Server
internal import HTTPTypes
internal import Hummingbird
internal import ImageLoading
internal import NIOCore
internal import NIOHTTPTypes

/// Requests and responses of the service as Hummingbird has them.
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

    /// Counts the memory that sending `body` takes.
    /// - Returns: Nil when clients have left so much unread that there is no room for more.
    static func lease(_ body: ServiceResponse.Body, _ outgoing: OutgoingBytes) -> OutgoingBytes.Lease? {
        switch body {
        case .none: OutgoingBytes.Lease.none
        case .bytes(let bytes): outgoing.lease(bytes.buffer)
        case .file(_, let range): outgoing.lease(byteCount: min(range.count, FilePieces.byteCount))
        }
    }

    /// The body of a response, in pieces as its client takes them.
    /// - Parameter onEnd: Called when all of it was taken, or the client is gone.
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

    /// Sends a piece, and waits until the system has taken it. A writer's `write` only waits until the event loop has noticed
    /// that it should: before a busy one does, whole files are in memory.
    private static func send(_ piece: NIOCore.ByteBuffer, to channel: any Channel) async throws {
        try await channel.writeAndFlush(HTTPResponsePart.body(piece))
    }
}

/// A response that goes out again as it is, without anything being looked up but its address.
struct HotResponse: Sendable {
    let head: HTTPResponse
    /// The server as the client called it, which is in the links of the head.
    let authority: String?
    let body: ByteBuffer
    let entityTag: String
    /// When its file was last written, in seconds since 1970.
    let modificationTime: Int64
    /// Until when its file needn't be looked at again.
    let expiration: NIODeadline

    /// How long it is trusted that a file is the same.
    static let lifetime = TimeAmount.seconds(1)

    /// What is larger is sent in pieces, as the client takes them.
    static let largestBody = 256 << 10

    /// - Returns: Nil for a response that isn't the same for everybody.
    init?(_ response: ServiceResponse, head: HTTPResponse, authority: String?) {
        guard response.status == 200, let source = response.source, response["Vary"] == nil,
            let tag = response["ETag"], case .bytes(let bytes) = response.body, bytes.count <= Self.largestBody
        else { return nil }
        self.head = head
        self.authority = authority
        body = bytes.buffer
        entityTag = tag
        modificationTime = source.modificationTime.seconds
        expiration = .now() + Self.lifetime
    }

    /// Whether the client has it already.
    func isUnchanged(for request: HTTPRequest) -> Bool {
        let fields = request.headerFields
        return EntityTag.isCurrent(
            entityTag, modificationTime, ifNoneMatch: fields[.ifNoneMatch], ifModifiedSince: fields[.ifModifiedSince])
    }
}
#endif
