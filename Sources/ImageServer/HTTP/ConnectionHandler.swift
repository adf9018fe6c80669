#if Server
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// The handler between a connection and the service: answers repeated requests from `HotResponse` on the event loop,
/// and enforces time limits.
///
/// Requests that it answers never reach the service. While a request is with the service, those behind it go there too,
/// which keeps responses in order.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let hot: ByteBoundedCache<String, HotResponse>
    let connections: Connections
    private let monitor: RequestMonitor
    let idleTimeout: TimeAmount
    private(set) var connection: Connection?

    /// Whether there was no room for the connection.
    private var isRefused = false
    /// Requests that the service has yet to answer.
    private(set) var passedOnCount = 0
    /// Whether this handler is answering a request whose end hasn't arrived yet.
    private var isAnswering = false
    /// Responses that are completely written but not completely sent.
    private var leavingCount = 0
    /// Pieces of responses that aren't sent yet, each awaited by a task.
    private var sendingCount = 0
    /// The promises of `close` calls that wait until all responses have been sent.
    private var closing: [EventLoopPromise<Void>?] = []
    private(set) var lastProgress = NIODeadline.now()
    /// When shutdown began; nil before.
    var endingSince: NIODeadline?
    var check: Scheduled<Void>?

    init(
        _ hot: ByteBoundedCache<String, HotResponse>, _ connections: Connections, _ monitor: RequestMonitor,
        idleTimeout: TimeAmount
    ) {
        self.hot = hot
        self.connections = connections
        self.monitor = monitor
        self.idleTimeout = idleTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let connection = Connection(client: Self.client(context.remoteAddress)) {
            eventLoop.execute { loopBound.value.close(promise: nil) }
        }
        self.connection = connection
        isRefused = !connections.admit(connection, of: context.channel)
        boundUnsentBytes(context)
        acceptHostlessRequests(context)
        lastProgress = .now()
        scheduleCheck(context)
        if context.channel.isActive, isRefused { refuseConnection(context) }
    }

    private static func client(_ address: SocketAddress?) -> String {
        if case .unixDomainSocket? = address { return TrustedProxies.unixSocket }
        return address?.ipAddress ?? "-"
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    func channelActive(context: ChannelHandlerContext) {
        if isRefused { refuseConnection(context) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    private func end(_ context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
        // The connection may have ended already.
        guard let connection = connection.take() else { return }
        connections.remove(context.channel)
        connection.close()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { connection?.close() }
        if event is ChannelShouldQuiesceEvent { beginEnding(context) }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            lastProgress = .now()
            if hasBody(head) { return refuse(head, context) }
            // A client that doesn't read isn't answered here but passed on, as the service stops reading its requests.
            guard passedOnCount == 0, context.channel.isWritable, let response = hotResponse(head) else {
                passedOnCount += 1
                noteProgress(context)
                return context.fireChannelRead(data)
            }
            answer(head, response, context)
        case .body:
            if !isAnswering { context.fireChannelRead(data) }
        case .end:
            if isAnswering {
                isAnswering = false
            } else {
                context.fireChannelRead(data)
            }
        }
    }

    private func hotResponse(_ head: HTTPRequest) -> HotResponse? {
        guard head.method == .get, let target = head.path, head.headerFields[.connection] == nil,
            let response = hot.value(for: target), response.expiration > .now(),
            response.authority == head.authority, !head.hasSecondHost,
            response.forwarding == monitor.forwarding(head, connection?.client)
        else { return nil }
        return response
    }

    private func answer(_ request: HTTPRequest, _ response: HotResponse, _ context: ChannelHandlerContext) {
        isAnswering = true
        if response.isUnchanged(for: request) {
            var head = response.head
            head.status = .notModified
            head.headerFields[.contentLength] = nil
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            note(request, 304, 0)
        } else {
            context.write(wrapOutboundOut(.head(response.head)), promise: nil)
            context.write(wrapOutboundOut(.body(response.body)), promise: nil)
            note(request, 200, response.body.readableBytes)
        }
        writeEnd(wrapOutboundOut(.end(nil)), context, nil)
        context.flush()
    }

    private func note(_ request: HTTPRequest, _ status: Int, _ byteCount: Int) {
        monitor.note(request, client: connection?.client, status: status, byteCount: byteCount, duration: .zero)
    }

    private func hasBody(_ head: HTTPRequest) -> Bool {
        head.headerFields[.transferEncoding] != nil || (head.headerFields[.contentLength].map { $0 != "0" } ?? false)
    }

    /// Refuses a request with a body, since no route accepts one, and closes the connection.
    private func refuse(_ request: HTTPRequest, _ context: ChannelHandlerContext) {
        isAnswering = true
        note(request, 413, 0)
        writeAndClose(HTTPResponse(status: .contentTooLarge, headerFields: [.contentLength: "0"]), nil, context)
    }

    private func refuseConnection(_ context: ChannelHandlerContext) {
        let message = NIOCore.ByteBuffer(string: "too many connections; try again in a second\n")
        let head = HTTPResponse(
            status: .serviceUnavailable,
            headerFields: [
                .retryAfter: "1", .contentType: "text/plain; charset=utf-8",
                .contentLength: String(message.readableBytes),
            ])
        writeAndClose(head, message, context)
    }

    private func writeAndClose(_ head: HTTPResponse, _ body: NIOCore.ByteBuffer?, _ context: ChannelHandlerContext) {
        var head = head
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let body { context.write(wrapOutboundOut(.body(body)), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .end:
            passedOnCount = max(0, passedOnCount - 1)
            lastProgress = .now()
            writeEnd(data, context, promise, releasesMemory: true)
        case .body:
            if let promise {
                sendingCount += 1
                whenSent(promise.futureResult, context) { $0.sendingCount -= 1 }
            }
            context.write(data, promise: promise)
            noteProgress(context)
        case .head: context.write(data, promise: promise)
        }
    }

    private func writeEnd(
        _ end: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?,
        releasesMemory: Bool = false
    ) {
        let left = promise ?? context.eventLoop.makePromise(of: Void.self)
        leavingCount += 1
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        whenSent(left.futureResult, context) { handler in
            handler.leavingCount -= 1
            if releasesMemory { handler.connection?.releaseOldest() }
            guard handler.leavingCount == 0, !handler.closing.isEmpty else { return }
            let closing = handler.closing
            handler.closing = []
            for promise in closing { loopBound.value.close(promise: promise) }
        }
        context.write(end, promise: left)
        noteProgress(context)
    }

    private func whenSent(
        _ sent: EventLoopFuture<Void>, _ context: ChannelHandlerContext,
        _ body: @escaping @Sendable (ConnectionHandler) -> Void
    ) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        sent.whenComplete { _ in
            let (handler, context) = loopBound.value
            handler.lastProgress = .now()
            body(handler)
            handler.noteProgress(context)
        }
    }

    /// Delays closing until all responses have been sent. On shutdown, the connection is closed right after the
    /// response is written, which would drop the part that a slow client hasn't read.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, leavingCount > 0 else { return context.close(mode: mode, promise: promise) }
        closing.append(promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        lastProgress = .now()
        noteProgress(context)
        context.fireChannelWritabilityChanged()
    }

    /// Whether the client has yet to read part of a response.
    func isSending(_ context: ChannelHandlerContext) -> Bool {
        leavingCount > 0 || sendingCount > 0 || !context.channel.isWritable
    }

    private func noteProgress(_ context: ChannelHandlerContext) {
        let activity: Connection.Activity = isSending(context) ? .sending : passedOnCount > 0 ? .answering : .idle
        connection?.note(activity, lastProgress: lastProgress)
    }
}
#endif
