/// A kind of address that the server answers: its pattern, its methods, who may request it, and its handler.
///
/// `table` is the only list of routes. Requests are dispatched by it, signatures are checked by it, and the methods of a 405,
/// the routes of `ImageRoutes` and the lists of the documentation page are made of it.
package final class Route: Sendable, CustomStringConvertible {
    /// What a request needs where there are keys.
    package enum Access: Hashable, Sendable {
        /// Nothing. The response is the same on every server and names no image.
        case `public`
        /// The signature of the address, or of any prefix, as a session has it. The response names no image.
        case anyPrefix
        /// The signature of the address, or of a prefix that the image or the folder is in, which the handler checks by the
        /// request's `grant`.
        case prefix
        /// The signature of the address.
        case signed
    }

    /// What the responses are.
    package enum Kind: Hashable, Sendable {
        /// A page, which loads what it shows from other addresses.
        case page
        /// An image, a part of one, or the description of its tiles, which other applications can serve too.
        case image
        /// Anything else.
        case other
    }

    /// The image or the folder that an address is about.
    enum Subject: Sendable {
        /// None.
        case nothing
        /// The folder that the query names.
        case folder
        /// The image whose identifier this finds in what follows the pattern's names.
        case image(@Sendable (_ rest: [String], _ query: URLQuery) throws(RequestFailure) -> String)

        /// The image whose identifier is all that follows.
        static let image = Subject.image { (rest, _) throws(RequestFailure) in try URLPath.identifier(in: rest) }
    }

    typealias Handler = @Sendable (ImageService, RoutedRequest) async throws(RequestFailure) -> ServiceResponse

    package let pattern: RoutePattern
    package let methods: [ServiceRequest.Method]
    package let access: Access
    package let kind: Kind
    let subject: Subject
    let documentation: RouteDocumentation?
    let handler: Handler

    /// A route. Unless `access` opens it, each of its addresses has to be signed.
    init(
        _ pattern: String, methods: [ServiceRequest.Method] = [.get, .head], access: Access = .signed,
        kind: Kind = .other, subject: Subject = .nothing, documentation: RouteDocumentation? = nil,
        handler: @escaping Handler
    ) {
        self.pattern = RoutePattern(pattern)
        self.methods = methods
        self.access = access
        self.kind = kind
        self.subject = subject
        self.documentation = documentation
        self.handler = handler
    }

    package var description: String { pattern.description }

    // MARK: Looking up

    private static let byFirstSegment = Dictionary(grouping: table) { $0.pattern.firstSegment }

    /// The route of a path's segments, as they were sent; nil for a path that has none.
    package static func matching(_ segments: [String]) -> Route? {
        byFirstSegment[segments.first ?? ""]?.first { $0.pattern.matches(segments) }
    }

    private static let everyMethod = ServiceRequest.Method.allCases.filter { method in
        table.contains { $0.methods.contains(method) }
    }

    /// The methods that are answered at an address: OPTIONS, and those of its route, or of any where none has the address.
    static func methods(at target: String) -> [ServiceRequest.Method] {
        var segments = (try? URLPath(target.prefix { $0 != "?" }))?.rawSegments
        if let path = segments, path.first == SignedPrefix.segment, path.count > 2 {
            segments = Array(path.dropFirst(2))
        }
        return (segments.flatMap(matching)?.methods ?? everyMethod) + [.options]
    }
}

/// Which paths a route has: `/docs`, `/assets/*` with one more segment, `/view/**` with any number of them.
package struct RoutePattern: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// The segments by which the route is known, before what changes.
    let names: [String]
    private let segmentCounts: ClosedRange<Int>

    init(_ text: String) {
        description = text
        let parts = text.split(separator: "/").map(String.init)
        names = Array(parts.prefix { !$0.hasPrefix("*") })
        let count = parts.count { $0 != "**" }
        // Behind a signature the top has an empty segment.
        segmentCounts = parts.isEmpty ? 0...1 : count...(parts.last == "**" ? .max : count)
    }

    /// The segment by which the route is looked up; empty for the top.
    package var firstSegment: String { names.first ?? "" }

    /// Whether a path is one of them whose first segment is the pattern's.
    func matches(_ segments: [String]) -> Bool {
        guard segmentCounts.contains(segments.count) else { return false }
        for index in names.indices.dropFirst() where segments[index] != names[index] { return false }
        return true
    }
}

/// A request as handlers see it, with the parts of its address.
struct RoutedRequest: Sendable {
    let route: Route
    /// The path's segments, as they were sent.
    let segments: [String]
    let query: URLQuery
    let request: ServiceRequest
    /// The text of `/metrics`, where there is one.
    let metrics: (@Sendable () -> String)?

    /// The segments that follow the names of the route's pattern.
    var rest: [String] { Array(segments.dropFirst(route.pattern.names.count)) }
}

extension Route {
    /// Whether the page at an address loads what it shows from other addresses.
    static func isPage(_ path: some StringProtocol) -> Bool {
        (try? URLPath(path)).flatMap { matching($0.rawSegments) }?.kind == .page
    }

    /// The prefix of the image or the folder that an address is about: the one to sign for a viewer that asks for more
    /// addresses than this one.
    /// - Throws: 400 for an address that is about neither.
    package static func prefix(of target: some StringProtocol) throws(RequestFailure) -> SignedPrefix {
        let parts = Substring(target).utf8.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let segments = try URLPath(Substring(parts.first ?? "".utf8[...])).rawSegments
        let query = try URLQuery(parts.count > 1 ? Substring(parts[1]) : "")
        let route = matching(segments)
        switch route?.subject {
        case .folder: return SignedPrefix(folder: query["folder"] ?? "")
        case .image(let identifier):
            let rest = Array(segments.dropFirst(route?.pattern.names.count ?? 0))
            let image = try identifier(rest, query)
            // The pages without an image have those of every folder; images of other servers are compared in the one form of
            // their address.
            return image.isEmpty ? .everything : SignedPrefix(image: (try? RemoteAddress(image))?.text ?? image)
        case .nothing, nil:
            throw .malformed("no image and no folder has this address, so it has no prefix to sign")
        }
    }
}
