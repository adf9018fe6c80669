#if Server
internal import NIOCore
internal import NIOHTTPTypesHTTP1
internal import Platform

extension ConnectionHandler {
    /// The longest that a response may still take during shutdown. Process managers wait 30 seconds or more.
    private static let endingPatience = TimeAmount.seconds(20)

    /// Schedules the next check for a client that is idle or doesn't read for too long. While the service renders, its
    /// own time limit applies.
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

    /// Starts shutdown, during which clients have less time to read.
    func beginEnding(_ context: ChannelHandlerContext) {
        guard endingSince == nil else { return }
        endingSince = .now()
        check?.cancel()
        scheduleCheck(context)
    }

    /// Adds a handler for HTTP/1.0 requests without `Host`, before the codec that discards the version.
    func acceptHostlessRequests(_ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
        // Fails only while the pipeline is being torn down.
        try? pipeline.addHandler(HostlessRequests(), position: .before(codec))
    }

    /// Limits the bytes of a response that the kernel buffers. Otherwise it buffers up to 4 MB for each client that
    /// doesn't read, in memory that the whole machine shares.
    func boundUnsentBytes(_ context: ChannelHandlerContext) {
        guard let name = SocketOptions.unsentByteCount else { return }
        let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: name))
        // The connection works without the option too.
        _ = context.channel.setOption(option, value: 128 << 10)
    }
}
#endif
