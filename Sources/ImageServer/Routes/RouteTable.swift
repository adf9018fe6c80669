extension Route {
    /// Every route. The documentation page lists the documented ones in this order.
    package static let table: [Route] = [
        // MARK: Images
        Route(
            "/image/**", access: .prefix, kind: .image, subject: .image,
            documentation: RouteDocumentation(
                .images, ["/image/{ID}?{…}"],
                "The picture, changed as the query says: <a href=\"#image\">effects</a>, size, format.",
                example: "/image/ID?w=600&radius=40&format=auto")
        ) { (service, asked) throws(RequestFailure) in
            try await service.answerEffects(asked.rest, asked.query, asked.request)
        },
        Route(
            "/original/**", access: .prefix, kind: .image, subject: .image,
            documentation: RouteDocumentation(
                .images, ["/original/{ID}"], "The file itself, byte for byte, with ranges.", example: "/original/ID")
        ) { (service, asked) throws(RequestFailure) in
            try await service.answerOriginal(asked.rest, asked.request)
        },
        Route(
            "/view/**", access: .anyPrefix, kind: .page, subject: .image,
            documentation: RouteDocumentation(
                .images, ["/view/{ID}#{x,y,zoom,rotation}"], "The zoom view; the fragment is the position.",
                example: "/view/ID"),
            handler: page("view.html")),
        Route(
            "/effects/**", access: .anyPrefix, kind: .page, subject: .image,
            documentation: RouteDocumentation(
                .images, ["/effects/{ID}?{…}"],
                "All effects with sliders, before and after, and the address to copy.",
                example: "/effects/ID?w=600&saturation=1.5&radius=40"),
            handler: page("effects.html")),
        Route(
            "/iiif/**", access: .prefix, kind: .image,
            subject: .image { (rest, _) throws(RequestFailure) in
                let version: IIIFVersion = rest.first == "2" ? .v2 : .v3
                return try IIIFRequest(Array(rest.dropFirst()), version: version).identifier
            },
            documentation: RouteDocumentation(
                .images, ["/iiif/3/{ID}/…", "/iiif/2/{ID}/…"], "<a href=\"#iiif\">IIIF Image API</a> 3.0 and 2.1.",
                example: "/iiif/3/ID/info.json")
        ) { (service, asked) throws(RequestFailure) in
            try await service.answerIIIF(asked.rest, asked.request)
        },
        Route(
            "/dzi/**", access: .prefix, kind: .image,
            subject: .image { (rest, query) throws(RequestFailure) in
                try DeepZoomRequest(rest, query: query).identifier
            },
            documentation: RouteDocumentation(
                .images, ["/dzi/{ID}.dzi"], "<a href=\"#tiles\">Deep Zoom</a>.", example: "/dzi/ID.dzi")
        ) { (service, asked) throws(RequestFailure) in
            try await service.answerDeepZoom(asked.rest, asked.query, asked.request)
        },
        Route(
            "/zoomify/**", access: .prefix, kind: .image,
            subject: .image { (rest, _) throws(RequestFailure) in try ZoomifyRequest(rest).identifier },
            documentation: RouteDocumentation(
                .images, ["/zoomify/{ID}/"], "<a href=\"#tiles\">Zoomify</a>.",
                example: "/zoomify/ID/ImageProperties.xml")
        ) { (service, asked) throws(RequestFailure) in
            try await service.answerZoomify(asked.rest, asked.request)
        },
        Route(
            "/xyz/**", access: .prefix, kind: .image,
            subject: .image { (rest, _) throws(RequestFailure) in try XYZRequest(rest).identifier },
            documentation: RouteDocumentation(
                .images, ["/xyz/{ID}/{z}/{x}/{y}.jpg"], "Tiles as <a href=\"#tiles\">maps</a> have them.",
                example: "/xyz/ID/0/0/0.jpg")
        ) { (service, asked) throws(RequestFailure) in
            try await service.answerXYZ(asked.rest, asked.request)
        },
        Route(
            "/jpng/**", access: .anyPrefix, kind: .page, subject: .image,
            documentation: RouteDocumentation(
                .images, ["/jpng/{ID}"], "PNG against JPNG, and the parts.", example: "/jpng/JPNG"),
            handler: page("jpng.html")),
        Route(
            "/jpng-part/**", access: .prefix, kind: .image,
            subject: .image { (rest, _) throws(RequestFailure) in try URLPath.identifier(in: rest.dropLast()) },
            documentation: RouteDocumentation(
                .images, ["/jpng-part/{ID}/photo.jpg", "…/mask.png"], "The parts of a JPNG.",
                example: "/jpng-part/JPNG/mask.png")
        ) { (service, asked) throws(RequestFailure) in
            try await service.answerJPNGPart(asked.rest, asked.request)
        },

        Route(
            "/probe/*/**", access: .prefix, kind: .image, subject: .image,
            documentation: RouteDocumentation(
                .facts, ["/probe/{ID}"], "Whether you may see one: the probe service of IIIF Authorization Flow 2.0",
                example: "/probe/ID")
        ) { (service, asked) throws(RequestFailure) in
            try await service.answerProbe(asked.rest, asked.request)
        },

        // MARK: Lists and facts
        Route(
            "/api/pictures", access: .prefix, subject: .folder,
            documentation: RouteDocumentation(
                .facts, ["/api/pictures?folder=&search=&sort=&order=&offset=&limit="],
                "Folders and pictures; <code>sort</code> by <code>name</code>, <code>date</code> or <code>size</code>, "
                    + "<code>order</code> <code>asc</code> or <code>desc</code>",
                example: "/api/pictures?sort=size&order=desc&limit=5")
        ) { (service, asked) throws(RequestFailure) in
            try await service.answerListing(asked.query, asked.request)
        },
        Route(
            "/api/picture/*/**", access: .prefix, subject: .image,
            documentation: RouteDocumentation(
                .facts, ["/api/picture/{ID}"], "Size, format, bytes, date of one", example: "/api/picture/ID")
        ) { (service, asked) throws(RequestFailure) in
            try await service.answerDescription(asked.rest, asked.request)
        },
        Route(
            "/api/effects", access: .anyPrefix,
            documentation: RouteDocumentation(
                .facts, ["/api/effects"], "The tables above, for programs", example: "/api/effects")
        ) { (service, asked) throws(RequestFailure) in
            service.answerEffectTable(asked.request)
        },
        Route(
            "/api/purge", methods: [.post], access: .operator,
            documentation: RouteDocumentation(
                .facts, ["POST /api/purge?image={ID}", "…?folder={path}"],
                "Removes what is cached of a picture or a folder; needs the operator's token, <code>Authorization: Bearer</code>",
                example: nil)
        ) { (service, asked) throws(RequestFailure) in
            try await service.answerPurge(asked.query, asked.request)
        },
        Route(
            "/healthz", access: .public,
            documentation: RouteDocumentation(
                .facts, ["/healthz", "/readyz"], "Whether the server lives, and takes requests", example: "/healthz")
        ) { (service, _) throws(RequestFailure) in service.answerHealth() },
        Route("/readyz", access: .public) { (service, _) throws(RequestFailure) in service.answerReadiness() },
        Route(
            "/metrics",
            documentation: RouteDocumentation(
                .facts, ["/metrics"], "Counts and times, as Prometheus reads them", example: "/metrics")
        ) { (service, asked) throws(RequestFailure) in
            try service.answerMetrics(asked.metrics)
        },

        // MARK: The gallery and what pages load
        Route("/", access: .anyPrefix, kind: .page, subject: .folder, handler: page("gallery.html")),
        Route("/docs", access: .anyPrefix, kind: .page, handler: page("docs.html")),
        Route("/assets/*", access: .public) { (service, asked) throws(RequestFailure) in
            try service.answerAsset(asked.segments[1], asked.request)
        },
        Route("/favicon.ico", access: .public, handler: page("icon.svg")),
    ]

    /// A handler that responds with an embedded page.
    private static func page(_ name: String) -> Handler {
        { (service, asked) throws(RequestFailure) in try service.answerPage(name, asked.request) }
    }
}

/// A route's row in a table of the documentation page.
struct RouteDocumentation: Sendable {
    /// The tables of the page.
    enum List: String, Sendable, CaseIterable {
        case images, facts
    }

    private let list: List
    private let addresses: [String]
    private let summary: String
    private let example: String?

    /// - Parameters:
    ///   - addresses: The forms of the route's addresses, with variable parts in braces.
    ///   - summary: Describes the responses, in HTML.
    ///   - example: An address to try; nil for none. The page replaces `ID` by an image's identifier and `JPNG` by a JPNG's.
    init(_ list: List, _ addresses: [String], _ summary: String, example: String?) {
        self.list = list
        self.addresses = addresses
        self.summary = summary
        self.example = example
    }

    /// The rows of a table, in HTML.
    static func rows(_ list: List) -> String {
        Route.table.compactMap(\.documentation).filter { $0.list == list }.map(\.row).joined(separator: "\n")
    }

    private var row: String {
        let codes = addresses.map { address in
            let marked = HTMLText.escaped(address).replacing("{", with: "<var>").replacing("}", with: "</var>")
            return "<code>\(marked)</code>"
        }
        return "<tr><td>\(codes.joined(separator: ", "))</td><td>\(summary)</td>"
            + "<td\(example.map { " data-example=\"\(HTMLText.escaped($0))\"" } ?? "")></td></tr>"
    }
}
