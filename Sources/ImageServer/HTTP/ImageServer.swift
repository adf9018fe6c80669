#if Server
internal import Hummingbird
internal import HummingbirdCore
public import Logging
internal import Metrics
internal import NIOCore
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
        let application = application(connections)
        let giving = Task { await Self.giveMemoryBack(connections) }
        defer { giving.cancel() }
        do {
            try await run(application)
        } catch let error as IOError {
            throw ImageError(
                .inputOutput,
                "\(configuration.host), port \(configuration.port), can't be listened at: "
                    + "\(String(cString: strerror(error.errnoCode))). Is it another program's?")
        }
        await service.end()
    }

    private func run(_ application: Application<ServiceResponder>) async throws {
        let group = ServiceGroup(services: [application], logger: quiet)
        // Detached, because the application would learn of this task's shutdown at once.
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

    private func application(_ connections: Connections) -> Application<ServiceResponder> {
        let hot = ByteBoundedCache<String, HotResponse>(costLimit: configuration.memoryCacheByteLimit / 4)
        let outgoing = OutgoingBytes(limit: configuration.memoryCacheByteLimit / 2)
        let monitor = RequestMonitor(
            logger, logsAccess: configuration.logsAccess, accessLog: configuration.accessLogFormat, proxies: proxies,
            factory: metrics)
        let idleTimeout = TimeAmount(configuration.idleTimeout)
        let onListening = onListening
        return Application(
            responder: ServiceResponder(
                service: service, hot: hot, connections: connections, outgoing: outgoing, monitor: monitor,
                metrics: metrics),
            server: HTTPServerBuilder { responder in
                DiscardableHTTP1Channel(
                    http: HTTP1Channel(
                        responder: responder,
                        configuration: HTTP1Channel.Configuration(
                            additionalChannelHandlers: [
                                ConnectionHandler(hot, connections, monitor, idleTimeout: idleTimeout)
                            ],
                            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                                maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))))
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: DescriptorGate(connections, logger: logger)),
            onServerRunning: { channel in
                // Hummingbird checks the gate when a connection closes, but closing files frees descriptors too.
                channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { task in
                    if channel.isActive { channel.read() } else { task.cancel() }
                }
                await onListening(channel.localAddress?.port ?? 0)
            },
            logger: quiet)
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

    /// Hummingbird's own messages don't help the operator.
    private var quiet: Logger {
        var logger = logger
        logger.logLevel = .error
        return logger
    }
}
#endif
