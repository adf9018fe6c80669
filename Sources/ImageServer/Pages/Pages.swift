internal import CTesseraViewer
internal import ImageLoading
internal import Platform
internal import Synchronization

/// The viewer's pages and scripts, embedded in the program.
final class Pages: Sendable {
    private struct Page: Sendable {
        let mediaType: String
        let bytes: ResponseBytes
        let tag: String
    }

    /// The pages' numbers in the program, by name.
    private let numbers: [String: Int]
    /// The pages that were requested. Most servers are asked for none, and all of them are a megabyte.
    private let pages = Mutex<[String: Page]>([:])
    /// The template of error pages, with placeholders in double braces.
    let failureTemplate: String?

    /// The file name of the template, which isn't served as a page.
    static let failurePage = "failure.html"

    init() {
        var numbers: [String: Int] = [:]
        while let page = tessera_page_at(numbers.count)?.pointee { numbers[String(cString: page.name)] = numbers.count }
        self.numbers = numbers
        failureTemplate = numbers[Self.failurePage].map {
            String(decoding: Self.content(of: tessera_page_at($0).pointee), as: UTF8.self)
        }
    }

    private static func content(of page: tessera_page) -> [UInt8] {
        Array(UnsafeBufferPointer(start: page.bytes, count: page.count))
    }

    private func page(named name: String) -> Page? {
        guard let number = numbers[name] else { return nil }
        return pages.withLock { pages in
            if let page = pages[name] { return page }
            let embedded = tessera_page_at(number).pointee
            var bytes = Self.content(of: embedded)
            if name == "docs.html" { bytes = Self.documentation(bytes) }
            let page = Page(
                mediaType: String(cString: embedded.media_type), bytes: ResponseBytes(bytes),
                tag: EntityTag.named(String(decoding: bytes, as: UTF8.self)))
            pages[name] = page
            return page
        }
    }

    /// Responds with a page or script; nil if there is none of this name.
    func response(named name: String, _ request: ServiceRequest) -> ServiceResponse? {
        guard let page = page(named: name).map({ Self.moved($0, below: request.basePath) }) else { return nil }
        let fields = [
            ("Content-Type", page.mediaType), ("ETag", page.tag), ("Cache-Control", "no-cache"),
            ("Content-Security-Policy", Self.policy), ("Referrer-Policy", "no-referrer"),
            ("Last-Modified", HTTPDate.text(ProgramDate.seconds)),
        ]
        if request.isUnchanged(page.tag, ProgramDate.seconds) { return ServiceResponse(304, fields) }
        return ServiceResponse(200, fields, body: .bytes(page.bytes))
    }

    /// A page whose links begin with a base path. Scripts find theirs by their own address.
    private static func moved(_ page: Page, below basePath: String) -> Page {
        guard !basePath.isEmpty, page.mediaType.hasPrefix("text/html") else { return page }
        let text = moved(String(decoding: page.bytes.array, as: UTF8.self), below: basePath)
        return Page(
            mediaType: page.mediaType, bytes: ResponseBytes(Array(text.utf8)),
            tag: EntityTag.named("\(basePath) \(page.tag)"))
    }

    /// HTML whose links begin with a base path.
    fileprivate static func moved(_ html: String, below basePath: String) -> String {
        basePath.isEmpty ? html : html.replacing("=\"/", with: "=\"\(basePath)/")
    }

    /// Fills the documentation page's placeholders with tables of routes.
    private static func documentation(_ bytes: [UInt8]) -> [UInt8] {
        Array(
            filled(String(decoding: bytes, as: UTF8.self)) { name in
                RouteDocumentation.List(rawValue: name).map(RouteDocumentation.rows) ?? ""
            }.utf8)
    }

    /// Replaces each name in double braces by its value.
    static func filled(_ template: String, _ value: (_ name: String) -> String) -> String {
        var text = ""
        var rest = template[...]
        while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
            text += rest[..<start.lowerBound] + value(String(rest[start.upperBound..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        return text + rest
    }

    /// Pages may load, run and connect to nothing but this server's resources, and compile its WebAssembly module.
    static let policy =
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
}

extension Pages {
    /// Turns an error into a page if the client prefers HTML, as a browser does for an address that a person opens.
    func dress(_ response: inout ServiceResponse, of failure: RequestFailure, for request: ServiceRequest) {
        // The browser couldn't load the page's stylesheet by a refused host name.
        guard failure.status != 421, AcceptHeader.prefersPage(request.accept), let template = failureTemplate else {
            return
        }
        let values = [
            "title": Self.title(of: failure.status), "status": String(failure.status),
            "message": failure == .noSuchPage ? "Nothing has this address." : Self.sentence(failure.message),
        ]
        let hint = failure == .unsigned ? Self.hint(request) : failure.status == 404 ? Self.links : ""
        // Values are escaped, so that no link is in them.
        let text = Self.moved(
            Self.filled(template) { $0 == "hint" ? hint : HTMLText.escaped(values[$0] ?? "") }, below: request.basePath)
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

    /// The command by which the operator signs the requested address.
    private static func hint(_ request: ServiceRequest) -> String {
        guard request.target.utf8.count < 400 else { return "" }
        let option = Route.isPage(request.target.prefix { $0 != "?" }) ? "--prefix " : ""
        // The address goes between single quotation marks of the shell.
        let address = "\(request.origin)\(request.basePath)\(request.target)".replacing("'", with: "%27")
        let base = request.basePath.isEmpty ? "" : " --base-path \(request.basePath)"
        return """
            <p>If you run this server, this prints a link that opens the page:</p>
            <pre class="snippet"><code>tessera sign \(option)'\(HTMLText.escaped(address))' --key-file KEYS\(base)</code></pre>
            """
    }

    /// Capitalizes the text and ends it with a full stop.
    private static func sentence(_ text: String) -> String {
        let text = text.prefix(1).uppercased() + text.dropFirst()
        return text.hasSuffix(".") ? text : text + "."
    }
}

extension AcceptHeader {
    /// Whether a client prefers HTML to plain text. Browsers name `text/html` only for addresses that a person opens,
    /// not for images and scripts; other programs don't name it.
    static func prefersPage(_ accept: String?) -> Bool {
        let header = AcceptHeader(accept)
        guard let page = header.weight(named: "text/html"), page > 0 else { return false }
        return page >= header.weight(of: "text/plain")
    }
}

enum HTMLText {
    /// Escapes the characters that are special in HTML text and attributes.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

/// The modification time of the program's file, which dates all embedded resources.
enum ProgramDate {
    /// Seconds since 1970; the current time if the file's is unknown or in the future.
    static let seconds: Int64 = {
        let now = Int64(time(nil))
        let status = OwnProgram.file.flatMap { FileStatus(path: $0) }
        return min(now, status?.modificationTime.seconds ?? now)
    }()
}
