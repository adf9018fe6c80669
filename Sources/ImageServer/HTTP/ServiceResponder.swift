#if Server
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Hands requests to the service, and responses back.
struct ServiceResponder: HTTPResponder {
    /// What a request comes with: its channel, by which the connection is known.
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }
    }

    let service: ImageService
    let hot: ByteBoundedCache<String, HotResponse>
    let connections: Connections
    let monitor: RequestMonitor
    let metrics: PrometheusMetrics

    func respond(to request: Request, context: Context) async -> Response {
        let start = ContinuousClock.now
        let connection = connections[context.channel]
        let asked = ServiceRequest(request.head, publicAddress: service.configuration.publicAddress)
        let task = Task { await answer(asked) }
        connection?.onClose { task.cancel() }
        let answered = await task.value
        connection?.onClose(nil)
        let head = Self.head(answered)
        if asked.method == .get, let response = HotResponse(answered, head: head, authority: request.head.authority) {
            // The buffer is the one that is kept anyway.
            hot.insert(response, for: asked.target, cost: response.body.readableBytes + asked.target.utf8.count + 500)
        }
        monitor.note(
            request.head, status: answered.status, byteCount: asked.method == .head ? 0 : answered.byteCount,
            duration: ContinuousClock.now - start)
        return Response(
            status: head.status, headers: head.headerFields,
            body: asked.method == .head ? ResponseBody() : Self.body(answered.body))
    }

    private func answer(_ request: ServiceRequest) async -> ServiceResponse {
        guard request.target == "/metrics" else { return await service.respond(to: request) }
        return ServiceResponse(
            metrics.text(service.gauges + [("tessera_connections", connections.count)]),
            mediaType: "text/plain; version=0.0.4; charset=utf-8")
    }

    private static func head(_ response: ServiceResponse) -> HTTPResponse {
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

    private static func body(_ body: ServiceResponse.Body) -> ResponseBody {
        switch body {
        case .none: ResponseBody()
        case .bytes(let bytes) where bytes.count <= HotResponse.largestBody: ResponseBody(byteBuffer: bytes.buffer)
        case .bytes(let bytes):
            // Piece by piece, so that a slow client is seen to go on.
            ResponseBody(contentLength: bytes.count) { writer in
                var rest = bytes.buffer
                while let piece = rest.readSlice(length: min(rest.readableBytes, HotResponse.largestBody)),
                    piece.readableBytes > 0
                { try await writer.write(piece) }
                try await writer.finish(nil)
            }
        case .file(let file, let range):
            ResponseBody(contentLength: range.count) { writer in
                var start = range.lowerBound
                while start < range.upperBound {
                    let end = min(range.upperBound, start + FilePieces.byteCount)
                    try await writer.write(FilePieces.read(file, start..<end))
                    start = end
                }
                try await writer.finish(nil)
            }
        }
    }
}

extension ServiceRequest {
    /// What came over a connection.
    init(_ head: HTTPRequest, publicAddress: String?) {
        let method: Method =
            switch head.method {
            case .get: .get
            case .head: .head
            case .options: .options
            default: .other
            }
        let authority = head.authority.flatMap { Self.isAuthority($0) ? $0 : nil } ?? "localhost"
        self.init(method, head.path ?? "/", origin: publicAddress ?? "http://\(authority)")
        accept = head.headerFields[.accept]
        ifNoneMatch = head.headerFields[.ifNoneMatch]
        ifModifiedSince = head.headerFields[.ifModifiedSince]
        range = head.headerFields[.range]
        ifRange = head.headerFields[.ifRange]
    }

    /// What is sent back in documents is no more than a name or a number of a host, and a port.
    private static func isAuthority(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
                    UInt8(ascii: "["), UInt8(ascii: "]"):
                    true
                default: false
                }
            }
    }
}
#endif
