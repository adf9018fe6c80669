#if Server
internal import Hummingbird
internal import HummingbirdCore
public import Logging
internal import Metrics
internal import NIOCore
internal import Raster
public import ServiceLifecycle

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The image server: IIIF, Deep Zoom, Zoomify and effects by address, and the viewer's pages.
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
    private let onListening: @Sendable (_ port: Int) async -> Void

    /// A server of what `configuration` says. It listens once it runs.
    /// - Parameters:
    ///   - logger: Where requests and failures are logged.
    ///   - onListening: Called with the port when clients can connect.
    /// - Throws: `inputOutput` for a folder that can't be opened.
    public init(
        _ configuration: ImageServerConfiguration, logger: Logger = Logger(label: "tessera.server"),
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws {
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        service = try ImageService(configuration)
        metrics = PrometheusMetrics()
    }

    /// Serves until the task is cancelled, or the service group that runs it shuts down; then lets requests end.
    /// - Throws: `inputOutput` where it can't listen.
    public func run() async throws {
        let hot = ByteBoundedCache<String, HotResponse>(costLimit: configuration.memoryCacheByteLimit / 4)
        let connections = Connections()
        let monitor = RequestMonitor(logger, logsAccess: configuration.logsAccess, factory: metrics)
        let idleTimeout = TimeAmount(configuration.idleTimeout)
        let onListening = onListening
        let application = Application(
            responder: ServiceResponder(
                service: service, hot: hot, connections: connections, monitor: monitor, metrics: metrics),
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [
                        ConnectionHandler(hot, connections, monitor, idleTimeout: idleTimeout)
                    ],
                    httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                        maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: .maximum(configuration.maximumConnectionCount, logger: logger)),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: quiet)
        do {
            try await application.run()
        } catch let error as IOError {
            throw ImageError(
                .inputOutput,
                "\(configuration.host), port \(configuration.port), can't be listened at: "
                    + "\(String(cString: strerror(error.errnoCode))). Is it another program's?")
        }
        await service.end()
    }

    /// Hummingbird's own messages are of no use to who runs the server.
    private var quiet: Logger {
        var logger = logger
        logger.logLevel = .error
        return logger
    }
}
#endif
