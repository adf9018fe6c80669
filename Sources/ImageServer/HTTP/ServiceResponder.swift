#if Server
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1

/// Hands requests to the service, and responses back.
struct ServiceResponder: HTTPResponder {
    /// What a request comes with: its channel, by which the connection is known.
    typealias Context = BasicImageRequestContext

    let service: ImageService
    let hot: ByteBoundedCache<String, HotResponse>
    let connections: Connections
    let outgoing: OutgoingBytes
    let monitor: RequestMonitor
    let metrics: PrometheusMetrics

    func respond(to request: Request, context: Context) async -> Response {
        let start = ContinuousClock.now
        let connection = connections[context.channel]
        let asked = ServiceRequest(request.head, publicAddress: service.configuration.publicAddress)
        var answered = await answer(asked, request.head, connection)
        let lease: OutgoingBytes.Lease
        if asked.method == .head {
            lease = .none
        } else {
            let found = await room(for: answered.body)
            if found == nil { answered = ServiceResponse(.tooManyUnread) }
            lease = found ?? OutgoingBytes.Lease.none
        }
        if let connection { connection.hold(lease) } else { lease.end() }
        let id = answered.status >= 400 ? monitor.makeID() : nil
        if let id { answered.fields.append(("X-Request-Id", id)) }
        let head = HTTPExchange.head(answered)
        if asked.method == .get, let response = HotResponse(answered, head: head, authority: request.head.authority) {
            // The buffer is the one that is kept anyway.
            hot.insert(response, for: asked.target, cost: response.body.readableBytes + asked.target.utf8.count + 500)
        }
        monitor.note(
            request.head, client: connection?.client, id: id, status: answered.status,
            byteCount: asked.method == .head ? 0 : answered.byteCount, duration: ContinuousClock.now - start,
            reason: answered.failure?.message)
        return Response(
            status: head.status, headers: head.headerFields,
            body: asked.method == .head ? ResponseBody() : HTTPExchange.body(answered.body, to: context.channel))
    }

    /// Counts what a response takes, once those are closed for it that nobody reads.
    private func room(for body: ServiceResponse.Body) async -> OutgoingBytes.Lease? {
        for attempt in 0..<10 {
            if let lease = HTTPExchange.lease(body, outgoing) { return lease }
            if attempt == 0 { connections.endStalled() }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    private func answer(
        _ asked: ServiceRequest, _ head: HTTPRequest, _ connection: Connection?
    ) async -> ServiceResponse {
        guard head.authority != nil else { return ServiceResponse(.malformed("the request has no Host field")) }
        guard !head.hasSecondHost else {
            return ServiceResponse(.malformed("the request has more than one Host field"))
        }
        let task = Task { [service, metrics, connections, outgoing] in
            await service.respond(to: asked) {
                metrics.text(
                    service.gauges + [
                        ("tessera_connections", connections.count),
                        ("tessera_unread_response_bytes", outgoing.byteCount),
                    ])
            }
        }
        connection?.onClose { task.cancel() }
        defer { connection?.onClose(nil) }
        return await task.value
    }
}

extension ServiceRequest {
    /// What came over a connection.
    init(_ head: HTTPRequest, publicAddress: String?) {
        let authority = head.authority.flatMap { Self.isAuthority($0) ? $0 : nil } ?? "localhost"
        self.init(
            Method(rawValue: head.method.rawValue) ?? .other, head.path ?? "/",
            origin: publicAddress ?? "http://\(authority)")
        accept = head.headerFields[.accept]
        ifNoneMatch = head.headerFields[.ifNoneMatch]
        ifModifiedSince = head.headerFields[.ifModifiedSince]
        range = head.headerFields[.range]
        ifRange = head.headerFields[.ifRange]
        host = head.authority
        sender = head.headerFields[.origin]
        // Several fields of this name are one (RFC 9113, 8.2.3).
        cookie = head.headerFields[values: .cookie].joined(separator: "; ")
        asksForPrivateNetwork = Self.privateNetwork.map { head.headerFields[$0] == "true" } ?? false
    }

    private static let privateNetwork = HTTPField.Name("Access-Control-Request-Private-Network")

    /// What is sent back in documents is no more than a name or a number of a host, and a port.
    private static func isAuthority(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "-.:[]".utf8.contains($0) }
    }
}

/// Gives requests of HTTP/1.0, which knows no `Host`, one. Those of HTTP/1.1 without it are told apart by that.
final class HostlessRequests: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.version == .http1_0,
            !head.headers.contains(name: "Host")
        else { return context.fireChannelRead(data) }
        head.headers.add(name: "Host", value: "localhost")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

extension HTTPRequest {
    private static let host = HTTPField.Name(parsed: "host")

    /// Whether the request had more than one `Host`: the first has become the authority, further ones are still fields.
    var hasSecondHost: Bool { Self.host.map { headerFields.contains($0) } ?? false }
}
#endif
