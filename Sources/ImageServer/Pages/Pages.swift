internal import CTesseraViewer
internal import ImageLoading
internal import Platform

/// The viewer's pages and scripts, which are part of the program.
struct Pages: Sendable {
    private struct Page: Sendable {
        let mediaType: String
        let bytes: ResponseBytes
        let tag: String
    }

    private let pages: [String: Page]
    /// The page of a failure, with the names of what belongs in it in double braces.
    let failureTemplate: String?

    /// The template of failures, which is no page by itself.
    static let failurePage = "failure.html"

    init() {
        var pages: [String: Page] = [:]
        var index = 0
        while let page = tessera_page_at(index)?.pointee {
            let name = String(cString: page.name)
            var bytes = Array(UnsafeBufferPointer(start: page.bytes, count: page.count))
            if name == "docs.html" { bytes = Self.documentation(bytes) }
            pages[name] = Page(
                mediaType: String(cString: page.media_type), bytes: ResponseBytes(bytes),
                tag: EntityTag.named(String(decoding: bytes, as: UTF8.self)))
            index += 1
        }
        self.pages = pages
        failureTemplate = pages[Self.failurePage].map { String(decoding: $0.bytes.array, as: UTF8.self) }
    }

    /// The page or script of this name; nil where there is none.
    func response(named name: String, _ request: ServiceRequest) -> ServiceResponse? {
        guard let page = pages[name] else { return nil }
        let fields = [
            ("Content-Type", page.mediaType), ("ETag", page.tag), ("Cache-Control", "no-cache"),
            ("Content-Security-Policy", Self.policy), ("Referrer-Policy", "no-referrer"),
            ("Last-Modified", HTTPDate.text(ProgramDate.seconds)),
        ]
        if request.isUnchanged(page.tag, ProgramDate.seconds) { return ServiceResponse(304, fields) }
        return ServiceResponse(200, fields, body: .bytes(page.bytes))
    }

    /// The documentation with the lists of routes in the places of their names.
    private static func documentation(_ bytes: [UInt8]) -> [UInt8] {
        Array(
            filled(String(decoding: bytes, as: UTF8.self)) { name in
                RouteDocumentation.List(rawValue: name).map(RouteDocumentation.rows) ?? ""
            }.utf8)
    }

    /// A page with `value` in place of each name in double braces.
    static func filled(_ template: String, _ value: (_ name: String) -> String) -> String {
        var text = ""
        var rest = template[...]
        while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
            text += rest[..<start.lowerBound] + value(String(rest[start.upperBound..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        return text + rest
    }

    /// Nothing but what this server hands out is loaded, run or connected to.
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
}

extension Pages {
    /// Makes a page of a failure's text, where the client would rather have a page: a browser that was sent there.
    func dress(_ response: inout ServiceResponse, of failure: RequestFailure, for request: ServiceRequest) {
        // The page's own stylesheet would be refused as well.
        guard failure.status != 421, AcceptHeader.prefersPage(request.accept), let template = failureTemplate else {
            return
        }
        let values = [
            "title": Self.title(of: failure.status), "status": String(failure.status),
            "message": failure == .noSuchPage ? "Nothing has this address." : Self.sentence(failure.message),
        ]
        let hint = failure == .unsigned ? Self.hint(request) : failure.status == 404 ? Self.links : ""
        let text = Self.filled(template) { $0 == "hint" ? hint : HTMLText.escaped(values[$0] ?? "") }
        response.fields.removeAll { $0.name == "Content-Type" }
        response.fields += [
            ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", Self.policy),
            ("Referrer-Policy", "no-referrer"),
        ]
        response.addVary("Accept")
        response.body = .bytes(ResponseBytes(Array(text.utf8)))
    }

    private static func title(of status: Int) -> String {
        switch status {
        case 400, 414: "This address can’t be read"
        case 403: "This needs a signed link"
        case 404: "Not found"
        case 413: "This image is too large"
        case 422: "This image can’t be shown"
        case 501: "This server can’t do that"
        case 503: "The server is busy"
        default: "This didn’t work"
        }
    }

    private static let links = """
        <p><a class="button primary" href="/">See the pictures</a> <a class="button" href="/docs">Read about addresses</a></p>
        """

    /// How the operator makes a link to what was asked for.
    private static func hint(_ request: ServiceRequest) -> String {
        guard request.target.utf8.count < 400 else { return "" }
        let option = Route.isPage(request.target.prefix { $0 != "?" }) ? "--prefix " : ""
        // Within quotation marks of the shell.
        let address = "\(request.origin)\(request.target)".replacing("'", with: "%27")
        return """
            <p>If you run this server, this prints a link that opens the page:</p>
            <pre class="snippet"><code>tessera sign \(option)'\(HTMLText.escaped(address))' --key-file KEYS</code></pre>
            """
    }

    /// The text with a capital letter at its start and a full stop at its end.
    private static func sentence(_ text: String) -> String {
        let text = text.prefix(1).uppercased() + text.dropFirst()
        return text.hasSuffix(".") ? text : text + "."
    }
}

extension AcceptHeader {
    /// Whether a client would rather have HTML than plain text. Only browsers that are sent to an address name it; for their
    /// images and scripts, and in other programs, they don't.
    static func prefersPage(_ accept: String?) -> Bool {
        let header = AcceptHeader(accept)
        guard let page = header.weight(named: "text/html"), page > 0 else { return false }
        return page >= header.weight(of: "text/plain")
    }
}

/// Text in HTML.
enum HTMLText {
    /// The text with everything replaced that means something in HTML's text and attributes.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

/// When the program was built or installed, which is when everything in it changed last.
enum ProgramDate {
    /// Seconds since 1970; now, where the system doesn't say.
    static let seconds: Int64 = {
        let now = Int64(time(nil))
        let status = OwnProgram.file.flatMap { FileStatus(path: $0) }
        return min(now, status?.modificationTime.seconds ?? now)
    }()
}
