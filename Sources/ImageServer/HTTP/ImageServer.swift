#if Server
internal import HummingbirdCore
public import Logging
internal import Metrics
internal import NIOCore
internal import NIOHTTP1
internal import Platform
internal import Raster
public import ServiceLifecycle

/// An image server: IIIF, Deep Zoom, Zoomify, map tiles, effects, and the viewer's pages.
///
/// ```swift
/// let server = try ImageServer(ImageServerConfiguration(folders: ["pictures"]))
/// try await server.run()
/// ```
public struct ImageServer: Service {
    private let configuration: ImageServerConfiguration
    private let service: ImageService
    private let logger: Logger
    private let metrics: PrometheusMetrics
    private let proxies: TrustedProxies
    private let onListening: @Sendable (_ port: Int) async -> Void

    /// Opens the configuration's folders and caches, and raises the process's limit on open files to the hard limit.
    /// The server listens once it runs.
    /// - Parameters:
    ///   - logger: Receives requests and failures.
    ///   - onListening: Called with the port once clients can connect.
    /// - Throws: `ImageError`: `inputOutput` for a folder that can't be opened.
    public init(
        _ configuration: ImageServerConfiguration, logger: Logger = Logger(label: "tessera.server"),
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws {
        let configuration = Self.naming(configuration)
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        DescriptorLimit.raise()
        proxies = try TrustedProxies(configuration.trustedProxies)
        service = try ImageService(configuration)
        metrics = PrometheusMetrics()
    }

    /// Serves until the task is cancelled or its service group shuts down, then completes the requests in progress. A
    /// shutdown begins with `drainTime`, in which everything is answered and only `/readyz` is 503.
    /// - Throws: `inputOutput` if the server can't listen at its address.
    public func run() async throws {
        await warnOfCache()
        let limit = min(configuration.maximumConnectionCount, DescriptorLimit.forConnections)
        let connections = Connections(limit: limit, patience: configuration.unreadPatience, logger: logger)
        let socket = try configuration.socketPath.map { (path) throws(ImageError) in try UnixSocket(path, configuration)
        }
        defer { socket?.remove() }
        let listener = listener(at: places(socket), connections)
        let giving = Task { await Self.giveMemoryBack(connections) }
        defer { giving.cancel() }
        do {
            try await run(listener)
        } catch let error as IOError {
            throw ImageError(
                .inputOutput,
                "\(configuration.host), port \(configuration.port), can't be listened at: "
                    + "\(String(cString: strerror(error.errnoCode))). Is it another program's?")
        }
        await service.end()
    }

    private func run(_ listener: ConnectionListener) async throws {
        let group = ServiceGroup(services: [listener], logger: quiet)
        // Detached, because the listener would learn of this task's shutdown at once.
        let running = Task.detached { try await group.run() }
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await running.value
            } onGracefulShutdown: {
                service.beginStopping()
                Task { [configuration] in
                    try? await Task.sleep(for: configuration.drainTime)
                    await group.triggerGracefulShutdown()
                }
            }
        } onCancel: {
            running.cancel()
        }
    }

    /// A configuration whose `host` is the address of its listening sockets, if it has any.
    private static func naming(_ configuration: ImageServerConfiguration) -> ImageServerConfiguration {
        var configuration = configuration
        if !configuration.listeningDescriptors.isEmpty {
            configuration.socketPath = nil
            let hosts = configuration.listeningDescriptors.compactMap { ListeningSocket.address(of: $0) }
            // One on loopback is in reach of browsers, whose pages may only read what `ClientPolicy` allows.
            let isLocal = { (host: String) in host == "::1" || host.hasPrefix("127.") }
            configuration.host = hosts.first(where: isLocal) ?? hosts.first ?? TrustedProxies.unixSocket
        } else if configuration.socketPath != nil {
            configuration.host = TrustedProxies.unixSocket
        }
        return configuration
    }

    private func places(_ socket: UnixSocket?) -> [ConnectionListener.Place] {
        guard configuration.listeningDescriptors.isEmpty else {
            return configuration.listeningDescriptors.map { .descriptor($0) }
        }
        if let socket { return [.descriptor(socket.number)] }
        return [.address(host: configuration.host, port: configuration.port)]
    }

    private func listener(
        at places: [ConnectionListener.Place], _ connections: Connections
    ) -> ConnectionListener {
        let hot = ByteBoundedCache<String, HotResponse>(costLimit: configuration.memoryCacheByteLimit / 4)
        let outgoing = OutgoingBytes(limit: configuration.unreadByteLimit)
        let monitor = RequestMonitor(
            logger, logsAccess: configuration.logsAccess, accessLog: configuration.accessLogFormat, proxies: proxies,
            factory: metrics)
        let idleTimeout = TimeAmount(configuration.idleTimeout)
        let responder = ServiceResponder(
            service: service, hot: hot, connections: connections, outgoing: outgoing, monitor: monitor, metrics: metrics
        )
        let http = HTTP1Channel(
            responder: { request, writer, channel in
                let response = await responder.respond(to: request, on: channel)
                do {
                    try await writer.write(response: response.head, body: response.body)
                } catch is HTTPParserError {
                    // A second response would be written for this error.
                    throw ChannelError.inputClosed
                }
            },
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ConnectionHandler(hot, connections, monitor, idleTimeout: idleTimeout)],
                httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                    maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)))
        return ConnectionListener(
            places: places, child: DiscardableHTTP1Channel(http: http),
            gate: DescriptorGate(connections, logger: logger), logger: quiet
        ) { [onListening] channels in
            for channel in channels {
                // The gate is asked when a connection closes, but closing files frees descriptors too.
                channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { task in
                    if channel.isActive { channel.read() } else { task.cancel() }
                }
            }
            await onListening(channels.lazy.compactMap { $0.localAddress?.port }.first ?? 0)
        }
    }

    /// Returns unused memory to the system every 20 seconds, if there were or are connections.
    private static func giveMemoryBack(_ connections: Connections) async {
        var totalCount = 0
        while (try? await Task.sleep(for: .seconds(20))) != nil {
            let count = connections.totalCount
            guard count != totalCount || connections.count > 0 else { continue }
            totalCount = count
            AllocatedMemory.giveBack()
        }
    }

    private func warnOfCache() async {
        guard let problem = await service.cacheProblem else { return }
        logger.warning("responses are not kept: \(problem)")
    }

    /// The libraries' own messages don't help the operator.
    private var quiet: Logger {
        var logger = logger
        logger.logLevel = .error
        return logger
    }
}

/// The server's Unix socket, which has a path while the server runs.
private struct UnixSocket {
    let number: Int32
    private let path: String
    private let status: FileStatus?

    init(_ path: String, _ configuration: ImageServerConfiguration) throws(ImageError) {
        self.path = path
        number = try ListeningSocket.open(path: path, permissions: configuration.socketPermissions)
        status = FileStatus(path: path, followsLinks: false)
    }

    /// Removes the path, unless it belongs to another server's socket by now.
    func remove() {
        guard let status, FileStatus(path: path, followsLinks: false)?.isSameFile(as: status) == true else { return }
        unlink(path)
    }
}
#endif
