#if Server
internal import HTTPTypes
internal import HummingbirdCore
internal import ImageLoading
internal import NIOCore
internal import NIOHTTP1
internal import Platform

/// Passes requests from Hummingbird to the service, and returns its responses.
struct ServiceResponder: Sendable {
    let service: ImageService
    let hot: ByteBoundedCache<String, HotResponse>
    let connections: Connections
    let outgoing: OutgoingBytes
    let monitor: RequestMonitor
    let metrics: PrometheusMetrics

    /// Responds to a request that came by `channel`.
    func respond(to request: Request, on channel: any Channel) async -> Response {
        let start = ContinuousClock.now
        let connection = connections[channel]
        let forwarding = monitor.forwarding(request.head, connection?.client)
        var asked = ServiceRequest(
            request.head, publicAddress: service.configuration.publicAddress, forwarding: forwarding)
        asked.client = monitor.client(request.head, connection?.client)
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
        let id = monitor.id(of: request.head) ?? (answered.status >= 400 ? monitor.makeID() : nil)
        if let id { answered.fields.append(("X-Request-Id", id)) }
        var head = HTTPExchange.head(answered)
        if asked.method == .get,
            let response = HotResponse(
                answered, head: head, authority: request.head.authority, forwarding: forwarding)
        {
            // The buffer is shared with the render cache.
            hot.insert(response, for: asked.target, cost: response.body.readableBytes + asked.target.utf8.count + 500)
        }
        head.headerFields[.date] = HTTPDate.text(Int64(time(nil)))
        monitor.note(
            request.head, client: connection?.client, id: id, status: answered.status,
            byteCount: asked.method == .head ? 0 : answered.byteCount, duration: ContinuousClock.now - start,
            reason: answered.failure?.message)
        return Response(
            status: head.status, headers: head.headerFields,
            body: asked.method == .head ? ResponseBody() : HTTPExchange.body(answered.body, to: channel))
    }

    /// Reserves memory for a response, closing stalled connections if there is none; nil if that doesn't free enough in
    /// half a second.
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
    /// Converts a request that Hummingbird has parsed.
    /// - Parameter forwarding: The fields that a trusted proxy has added.
    init(_ head: HTTPRequest, publicAddress: String?, forwarding: Forwarding = .none) {
        let own = head.authority.flatMap { Self.isAuthority($0) ? $0 : nil }
        let authority = forwarding.authority ?? own ?? "localhost"
        self.init(
            Method(rawValue: head.method.rawValue) ?? .other, head.path ?? "/",
            origin: publicAddress ?? "\(forwarding.scheme ?? "http")://\(authority)")
        basePath = forwarding.basePath?.text ?? ""
        authorization = head.headerFields[.authorization]
        let fields = head.headerFields
        field = { name in HTTPField.Name(name).map { fields[values: $0] } ?? [] }
        accept = head.headerFields[.accept]
        ifNoneMatch = head.headerFields[.ifNoneMatch]
        ifModifiedSince = head.headerFields[.ifModifiedSince]
        range = head.headerFields[.range]
        ifRange = head.headerFields[.ifRange]
        host = forwarding.authority ?? head.authority
        sender = head.headerFields[.origin]
        // Several `Cookie` fields are equivalent to one (RFC 9113, 8.2.3).
        cookie = head.headerFields[values: .cookie].joined(separator: "; ")
        asksForPrivateNetwork = Self.privateNetwork.map { head.headerFields[$0] == "true" } ?? false
    }

    private static let privateNetwork = HTTPField.Name("Access-Control-Request-Private-Network")
}

/// Adds a `Host` field to HTTP/1.0 requests, which needn't have one. HTTP/1.1 requests without one stay recognizable.
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

    /// Whether the request had more than one `Host` field. The first became the authority; others are still fields.
    var hasSecondHost: Bool { Self.host.map { headerFields.contains($0) } ?? false }
}
#endif
