internal import CTesseraViewer

/// The viewer's pages and scripts, which are part of the program.
struct Pages: Sendable {
    private struct Page: Sendable {
        let mediaType: String
        let bytes: ResponseBytes
        let tag: String
    }

    private let pages: [String: Page]

    init() {
        var pages: [String: Page] = [:]
        var index = 0
        while let page = tessera_page_at(index)?.pointee {
            let bytes = Array(UnsafeBufferPointer(start: page.bytes, count: page.count))
            pages[String(cString: page.name)] = Page(
                mediaType: String(cString: page.media_type), bytes: ResponseBytes(bytes),
                tag: EntityTag.named(String(decoding: bytes, as: UTF8.self)))
            index += 1
        }
        self.pages = pages
    }

    /// The page or script at an address; nil where there is none.
    func response(for segments: [String], _ request: ServiceRequest) -> ServiceResponse? {
        let name: String? =
            switch segments.first ?? "" {
            case "" where segments.count <= 1: "gallery.html"
            case "view": "view.html"
            case "effects": "effects.html"
            case "jpng": "jpng.html"
            case "docs" where segments.count == 1: "docs.html"
            case "assets" where segments.count == 2: segments[1]
            case "favicon.ico" where segments.count == 1: "icon.svg"
            default: nil
            }
        guard let name, let page = pages[name] else { return nil }
        let fields = [
            ("Content-Type", page.mediaType), ("ETag", page.tag), ("Cache-Control", "no-cache"),
            ("Content-Security-Policy", Self.policy), ("Referrer-Policy", "no-referrer"),
        ]
        if let list = request.ifNoneMatch, EntityTag.list(list, contains: page.tag) {
            return ServiceResponse(304, fields)
        }
        return ServiceResponse(200, fields, body: .bytes(page.bytes))
    }

    /// Nothing but what this server hands out is loaded, run or connected to.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
}
