#if Server
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Stands between a connection and the service: answers hot requests at once, on the event loop, and holds clients to time.
///
/// A request that it answers never reaches the service. One that it doesn't is passed on, and until it is answered those
/// behind it are passed on too, so that responses keep their order.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let hot: ByteBoundedCache<String, HotResponse>
    private let connections: Connections
    private let monitor: RequestMonitor
    private let idleTimeout: TimeAmount
    private let connection = Connection()

    /// Requests that were passed on and aren't answered yet.
    private var passedOnCount = 0
    /// The one whose end is still to come is answered here.
    private var isAnswering = false
    /// Responses that are written to their end, of which something hasn't gone out yet.
    private var leavingCount = 0
    /// Who wants the connection closed when they have.
    private var closing: [EventLoopPromise<Void>?] = []
    private var lastProgress = NIODeadline.now()
    private var check: Scheduled<Void>?

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
        connections.add(connection, of: context.channel)
        lastProgress = .now()
        scheduleCheck(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    private func end(_ context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
        connections.remove(context.channel)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { connection.close() }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            lastProgress = .now()
            if hasBody(head) { return refuse(head, context) }
            guard passedOnCount == 0, let response = hotResponse(head) else {
                passedOnCount += 1
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
            response.authority == head.authority
        else { return nil }
        return response
    }

    private func answer(_ request: HTTPRequest, _ response: HotResponse, _ context: ChannelHandlerContext) {
        isAnswering = true
        let list = request.headerFields[.ifNoneMatch]
        if let list, EntityTag.list(list, contains: response.entityTag) {
            var head = response.head
            head.status = .notModified
            head.headerFields[.contentLength] = nil
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            monitor.note(request, status: 304, byteCount: 0, duration: .zero)
        } else {
            context.write(wrapOutboundOut(.head(response.head)), promise: nil)
            context.write(wrapOutboundOut(.body(response.body)), promise: nil)
            monitor.note(request, status: 200, byteCount: response.body.readableBytes, duration: .zero)
        }
        writeEnd(wrapOutboundOut(.end(nil)), context, nil)
        context.flush()
    }

    private func hasBody(_ head: HTTPRequest) -> Bool {
        head.headerFields[.transferEncoding] != nil || (head.headerFields[.contentLength].map { $0 != "0" } ?? false)
    }

    /// Nothing that is asked for here has a body: who sends one isn't listened to.
    private func refuse(_ request: HTTPRequest, _ context: ChannelHandlerContext) {
        isAnswering = true
        let head = HTTPResponse(status: .contentTooLarge, headerFields: [.connection: "close", .contentLength: "0"])
        monitor.note(request, status: 413, byteCount: 0, duration: .zero)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            passedOnCount = max(0, passedOnCount - 1)
            lastProgress = .now()
            return writeEnd(data, context, promise)
        }
        context.write(data, promise: promise)
    }

    private func writeEnd(_ end: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let left = promise ?? context.eventLoop.makePromise(of: Void.self)
        leavingCount += 1
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        left.futureResult.whenComplete { _ in
            let (handler, context) = loopBound.value
            handler.leavingCount -= 1
            guard handler.leavingCount == 0, !handler.closing.isEmpty else { return }
            let closing = handler.closing
            handler.closing = []
            for promise in closing { context.close(promise: promise) }
        }
        context.write(end, promise: left)
    }

    /// A server that ends closes a connection behind the response that is on its way; what of that a slow client hasn't
    /// taken yet would be dropped.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, leavingCount > 0 else { return context.close(mode: mode, promise: promise) }
        closing.append(promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        lastProgress = .now()
        context.fireChannelWritabilityChanged()
    }

    // MARK: Time

    /// Closes a connection on which nothing was asked, or on which nothing is read, for too long. While a request is being
    /// answered, the service holds itself to time.
    private func scheduleCheck(_ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        check = context.eventLoop.scheduleTask(in: .nanoseconds(idleTimeout.nanoseconds / 4)) {
            let (handler, context) = loopBound.value
            let isWaitedFor = handler.passedOnCount > 0 && context.channel.isWritable
            guard isWaitedFor || .now() < handler.lastProgress + handler.idleTimeout else {
                return context.close(promise: nil)
            }
            handler.scheduleCheck(context)
        }
    }
}
#endif
