#if Server
internal import NIOCore
internal import NIOHTTPTypesHTTP1
internal import Platform

extension ConnectionHandler {
    /// How long a response may still take when the server ends. Process managers wait 30 seconds or more.
    private static let endingPatience = TimeAmount.seconds(20)

    /// Closes a connection on which nothing was asked, or on which nothing is read, for too long. While a response is being
    /// made, the service holds itself to time.
    func scheduleCheck(_ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let interval = endingSince == nil ? TimeAmount.nanoseconds(idleTimeout.nanoseconds / 4) : .milliseconds(500)
        check = context.eventLoop.scheduleTask(in: interval) {
            let (handler, context) = loopBound.value
            guard !handler.isOverdue(context) else { return context.close(promise: nil) }
            handler.scheduleCheck(context)
        }
    }

    private func isOverdue(_ context: ChannelHandlerContext) -> Bool {
        let now = NIODeadline.now()
        guard isSending(context) else { return passedOnCount == 0 && now >= lastProgress + idleTimeout }
        guard let endingSince else { return now >= lastProgress + idleTimeout }
        return now >= lastProgress + min(connections.patience, idleTimeout) || now >= endingSince + Self.endingPatience
    }

    /// The server ends: from now on clients have less time to read.
    func beginEnding(_ context: ChannelHandlerContext) {
        guard endingSince == nil else { return }
        endingSince = .now()
        check?.cancel()
        scheduleCheck(context)
    }

    /// Requests of HTTP/1.0 have no `Host`, which only a handler before the one that translates them can see.
    func acceptHostlessRequests(_ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
        // It fails only in a pipeline that is being taken down.
        try? pipeline.addHandler(HostlessRequests(), position: .before(codec))
    }

    /// Limits what the kernel takes of a response ahead of sending it. Otherwise it buffers up to 4 MB for each client that
    /// doesn't read, in memory that all programs on the machine share.
    func boundUnsentBytes(_ context: ChannelHandlerContext) {
        guard let name = SocketOptions.unsentByteCount else { return }
        let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: name))
        // Without it, the connection works as well.
        _ = context.channel.setOption(option, value: 128 << 10)
    }
}
#endif
