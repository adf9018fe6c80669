#if Server
internal import HTTPTypes
public import Hummingbird
public import NIOCore
internal import Raster
public import ServiceLifecycle

/// Image routes for an existing Hummingbird application: IIIF, Deep Zoom, Zoomify, map tiles, effects and originals.
///
/// ```swift
/// let images = try ImageRoutes(ImageServerConfiguration(folders: ["pictures"]))
/// let router = Router(context: BasicImageRequestContext.self)
/// router.get("hello") { _, _ in "Hello" }
/// router.addImages(images, at: "images")
/// var application = Application(router: router)
/// application.addServices(images)
/// try await application.runService()
/// ```
///
/// This serves `/images/iiif/3/ID/info.json`, `/images/image/ID?w=400` and so on. The application provides connections,
/// their limits, access logs and metrics, so the configuration's `host`, `port`, `maximumConnectionCount`,
/// `idleTimeout` and `logsAccess` have no effect. Every host name is accepted unless `allowedHosts` has names. With
/// `signingKeys`, signatures cover addresses without the mount path: a signed `/image/ID?w=400` is requested as
/// `/images/image/ID?w=400&sig=…`.
public struct ImageRoutes: Service {
    /// The first segments of image routes, with their methods. Pages and listings aren't served.
    static let names: [(name: String, methods: [ServiceRequest.Method])] = {
        let routes = Route.table.filter { $0.kind == .image }
        let signed = ServiceRequest.Method.allCases.filter { method in routes.contains { $0.methods.contains(method) } }
        return routes.map { ($0.pattern.firstSegment, $0.methods) } + [(SignedPrefix.segment, signed)]
    }()

    private let service: ImageService
    private let outgoing: OutgoingBytes

    /// Opens the configuration's folders and caches.
    /// - Throws: `ImageError`: `inputOutput` for a folder that can't be opened.
    public init(_ configuration: ImageServerConfiguration) throws {
        var configuration = configuration
        // The application decides where to listen and so by which names it is known.
        configuration.host = "0.0.0.0"
        service = try ImageService(configuration)
        outgoing = OutgoingBytes(limit: configuration.unreadByteLimit)
    }

    /// Waits until the application shuts down, then until the cache folder has everything that was rendered.
    public func run() async throws {
        // It ends only by shutdown or cancellation; the cache is written in either case.
        try? await gracefulShutdown()
        await service.end()
    }

    /// Responds to a request.
    /// - Parameter prefixCount: The number of path segments in front of the routes.
    func respond(to request: Request, prefixCount: Int, context: some ImageRequestContext) async -> Response {
        var asked = ServiceRequest(request.head, publicAddress: service.configuration.publicAddress)
        let (prefix, target) = Self.split(asked.target, prefixCount)
        asked.target = target
        asked.basePath = prefix
        var answered = await service.respond(to: asked)
        guard asked.method != .head else {
            return Response(status: .init(code: answered.status), headers: HTTPExchange.head(answered).headerFields)
        }
        let lease = HTTPExchange.lease(answered.body, outgoing)
        if lease == nil { answered = ServiceResponse(.tooManyUnread) }
        let head = HTTPExchange.head(answered)
        return Response(
            status: head.status, headers: head.headerFields,
            body: HTTPExchange.body(answered.body, to: context.channel) { lease?.end() })
    }

    /// Splits a target into its first `count` segments and the rest, both beginning with a slash.
    static func split(_ target: String, _ count: Int) -> (prefix: String, rest: String) {
        var rest = target[...]
        var prefix = ""
        for _ in 0..<count {
            // The router ignores empty segments.
            rest = rest.drop { $0 == "/" }
            let segment = rest.prefix { $0 != "/" && $0 != "?" }
            prefix += "/" + segment
            rest = rest[segment.endIndex...]
        }
        return (prefix, "/" + rest.drop { $0 == "/" })
    }
}

extension RouterMethods where Context: ImageRequestContext {
    /// Adds the image routes below `path`. Addresses in documents, such as a IIIF image's `id`, include `path`.
    @discardableResult
    public func addImages(_ images: ImageRoutes, at path: RouterPath = "") -> Self {
        for (name, methods) in ImageRoutes.names {
            for method in methods.compactMap({ HTTPRequest.Method(rawValue: $0.rawValue) }) {
                group(path).on("\(name)/**", method: method) { request, context in
                    // The complete matched pattern, which ends with the name and `**`.
                    let pattern = context.endpointPath ?? ""
                    let prefixCount = max(0, pattern.split(separator: "/").count - 2)
                    return await images.respond(to: request, prefixCount: prefixCount, context: context)
                }
            }
        }
        return self
    }
}

/// A request context with the connection's channel, by which image routes send large files no faster than clients read.
///
/// ```swift
/// struct AppContext: ImageRequestContext {
///     var coreContext: CoreRequestContextStorage
///     let channel: any Channel
///
///     init(source: ApplicationRequestContextSource) {
///         coreContext = CoreRequestContextStorage(source: source)
///         channel = source.channel
///     }
/// }
/// ```
public protocol ImageRequestContext: RequestContext {
    /// The channel of the request's connection.
    var channel: any Channel { get }
}

/// A request context for applications that need no other.
public struct BasicImageRequestContext: ImageRequestContext {
    /// Hummingbird's storage for each request.
    public var coreContext: CoreRequestContextStorage
    /// The channel of the request's connection.
    public let channel: any Channel

    /// Creates the context of a request that Hummingbird has received.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
#endif
