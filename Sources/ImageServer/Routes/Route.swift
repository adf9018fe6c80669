/// A kind of address that the server answers: its pattern, methods, access rule and handler.
///
/// `table` is the only list of routes. It drives dispatch, signature checks, the methods in 405 responses, the routes
/// of `ImageRoutes`, and the tables of the documentation page.
package final class Route: Sendable, CustomStringConvertible {
    /// The signature that a request needs when the server has keys.
    package enum Access: Hashable, Sendable {
        /// None. The response is the same on every server and names no image.
        case `public`
        /// The address's signature, or any prefix's, in a session cookie too. The response names no image.
        case anyPrefix
        /// The address's signature, or that of a prefix that contains the image or folder. The handler checks prefixes
        /// by the request's `grant`.
        case prefix
        /// The address's signature.
        case signed
        /// None, but the operator's token, which the handler checks.
        case `operator`
    }

    /// The type of response.
    package enum Kind: Hashable, Sendable {
        /// A page, which loads its content from other addresses.
        case page
        /// An image, a part of one, or a description of its tiles. `ImageRoutes` serves these routes too.
        case image
        /// Anything else.
        case other
    }

    /// The image or folder that an address belongs to.
    enum Subject: Sendable {
        /// Neither.
        case nothing
        /// The folder in the query.
        case folder
        /// The image whose identifier the closure extracts from the segments after the pattern's names.
        case image(@Sendable (_ rest: [String], _ query: URLQuery) throws(RequestFailure) -> String)

        /// The image whose identifier is the rest of the path.
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

    /// Creates a route. By default, each of its addresses needs a signature.
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

    /// The route of a path, given as its segments as sent; nil if there is none.
    package static func matching(_ segments: [String]) -> Route? {
        byFirstSegment[segments.first ?? ""]?.first { $0.pattern.matches(segments) }
    }

    private static let everyMethod = ServiceRequest.Method.allCases.filter { method in
        table.contains { $0.access != .operator && $0.methods.contains(method) }
    }

    /// The methods of an address: OPTIONS and those of its route, or every route's methods if it has no route.
    static func methods(at target: String) -> [ServiceRequest.Method] {
        var segments = (try? URLPath(target.prefix { $0 != "?" }))?.rawSegments
        if let path = segments, path.first == SignedPrefix.segment, path.count > 2 {
            segments = Array(path.dropFirst(2))
        }
        return (segments.flatMap(matching)?.methods ?? everyMethod) + [.options]
    }
}

/// The paths of a route: `/docs`, `/assets/*` with exactly one more segment, or `/view/**` with any number of them.
package struct RoutePattern: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// The fixed segments before the wildcards.
    let names: [String]
    private let segmentCounts: ClosedRange<Int>

    init(_ text: String) {
        description = text
        let parts = text.split(separator: "/").map(String.init)
        names = Array(parts.prefix { !$0.hasPrefix("*") })
        let count = parts.count { $0 != "**" }
        // After a signature, the top path has one empty segment.
        segmentCounts = parts.isEmpty ? 0...1 : count...(parts.last == "**" ? .max : count)
    }

    /// The segment that routes are looked up by; empty for the top path.
    package var firstSegment: String { names.first ?? "" }

    /// Whether the segments match the pattern, given that the first one does.
    func matches(_ segments: [String]) -> Bool {
        guard segmentCounts.contains(segments.count) else { return false }
        for index in names.indices.dropFirst() where segments[index] != names[index] { return false }
        return true
    }
}

/// A request with its route and the parts of its address, as handlers get it.
struct RoutedRequest: Sendable {
    let route: Route
    /// The path's segments as sent.
    let segments: [String]
    let query: URLQuery
    let request: ServiceRequest
    /// Returns the text of `/metrics`; nil if there are no metrics.
    let metrics: (@Sendable () -> String)?

    /// The segments after the fixed segments of the route's pattern.
    var rest: [String] { Array(segments.dropFirst(route.pattern.names.count)) }
}

extension Route {
    /// Whether the path belongs to a page, which loads its content from other addresses.
    static func isPage(_ path: some StringProtocol) -> Bool {
        (try? URLPath(path)).flatMap { matching($0.rawSegments) }?.kind == .page
    }

    /// The prefix of an address's image or folder, for signing a viewer, which requests further addresses.
    /// - Throws: 400 for an address that belongs to neither.
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
            // A page without an image covers every folder. Remote images are identified by their normalized address.
            return image.isEmpty ? .everything : SignedPrefix(image: (try? RemoteAddress(image))?.text ?? image)
        case .nothing, nil:
            throw .malformed("no image and no folder has this address, so it has no prefix to sign")
        }
    }
}
