#if HTTP
import Foundation
import ImageLoading
import Raster
import Synchronization

/// A store of objects on this machine that speaks S3's protocol as far as the server uses it, and fails when a test says so.
final class BucketServer: Sendable {
    struct Object: Equatable {
        var bytes: [UInt8]
        var type = "application/octet-stream"
        var tag: String
    }

    private struct State {
        /// By bucket and key: `photos/a.png`.
        var objects: [String: Object] = [:]
        var count = 0
        /// Answers a request in place of the store; nil for the store's answer.
        var fault: (@Sendable (LoopbackServer.Request) -> LoopbackServer.Reply?)?
    }

    private let state: SharedState
    private let server: LoopbackServer
    /// The most entries of a list's page.
    private static let pageCount = 3

    /// What the threads of the server share.
    private final class SharedState: Sendable {
        let value = Mutex(State())
    }

    init() throws {
        let state = SharedState()
        self.state = state
        server = try LoopbackServer { request in
            if let reply = state.value.withLock({ $0.fault })?(request) { return reply }
            return state.value.withLock { Self.reply(to: request, &$0) }
        }
    }

    /// What a client needs to know of the store.
    var configuration: S3Configuration {
        var configuration = S3Configuration(
            endpoint: URL(string: server.url("")),
            credentials: S3Credentials(accessKeyID: "AKID", secretAccessKey: "secret"))
        configuration.longestDelay = .milliseconds(5)
        return configuration
    }

    /// The requests so far, as `GET photos/a.png`.
    var requests: [String] {
        server.requests.map { "\($0.method) \(Self.name(of: $0.path))\($0.path.contains("list-type") ? "?" : "")" }
    }

    /// Fails requests for which `fault` returns a reply; nil for none.
    func fail(_ fault: (@Sendable (LoopbackServer.Request) -> LoopbackServer.Reply?)?) {
        state.value.withLock { $0.fault = fault }
    }

    subscript(_ name: String) -> [UInt8]? {
        get { state.value.withLock { $0.objects[name]?.bytes } }
        set {
            state.value.withLock { state in
                state.count += 1
                state.objects[name] = newValue.map { Object(bytes: $0, tag: "\"v\(state.count)\"") }
            }
        }
    }

    /// The names of the objects in a bucket.
    func names(in bucket: String) -> [String] {
        state.value.withLock { $0.objects.keys.filter { $0.hasPrefix(bucket + "/") }.sorted() }
    }

    /// Changes all objects of a bucket.
    func change(_ bucket: String, _ body: (inout Object) -> Void) {
        state.value.withLock { state in
            for name in state.objects.keys where name.hasPrefix(bucket + "/") { body(&state.objects[name]!) }
        }
    }

    /// An error of a store.
    static func error(_ status: Int, _ code: String) -> LoopbackServer.Reply {
        reply(
            status, ["Content-Type: application/xml"],
            Array("<Error><Code>\(code)</Code><Message>No</Message></Error>".utf8))
    }

    // MARK: Answers

    private static func name(of path: String) -> String {
        let path = path.dropFirst().prefix { $0 != "?" }
        return String(path).removingPercentEncoding ?? ""
    }

    private static func reply(
        _ status: Int, _ fields: [String] = [], _ body: [UInt8] = [], byteCount: Int? = nil
    ) -> LoopbackServer.Reply {
        let lines = fields + ["Content-Length: \(byteCount ?? body.count)", "Connection: close"]
        return LoopbackServer.Reply(
            text: "HTTP/1.1 \(status) x\r\n\(lines.map { "\($0)\r\n" }.joined())\r\n", pieceCount: 1, piece: body)
    }

    private static func reply(to request: LoopbackServer.Request, _ state: inout State) -> LoopbackServer.Reply {
        let name = name(of: request.path)
        if request.path.contains("list-type=2") { return list(request, name, state) }
        switch request.method {
        case "PUT":
            state.count += 1
            state.objects[name] = Object(
                bytes: request.body, type: request.fields["content-type"] ?? "", tag: "\"v\(state.count)\"")
            return reply(200)
        case "DELETE":
            state.objects[name] = nil
            return reply(204)
        default: break
        }
        guard let object = state.objects[name] else {
            return request.method == "HEAD" ? reply(404) : error(404, "NoSuchKey")
        }
        var fields = [
            "ETag: \(object.tag)", "Last-Modified: Fri, 24 May 2013 00:00:00 GMT", "Content-Type: \(object.type)",
        ]
        if request.method == "HEAD" { return reply(200, fields, byteCount: object.bytes.count) }
        if let tag = request.fields["if-match"], tag != object.tag { return error(412, "PreconditionFailed") }
        guard let range = request.fields["range"] else { return reply(200, fields, object.bytes) }
        let ends = range.dropFirst(6).split(separator: "-").compactMap { Int($0) }
        // One range of several: the client then asks for each.
        guard ends.count == 2, ends[0] < object.bytes.count else { return error(416, "InvalidRange") }
        let last = min(ends[1], object.bytes.count - 1)
        fields.append("Content-Range: bytes \(ends[0])-\(last)/\(object.bytes.count)")
        return reply(206, fields, Array(object.bytes[ends[0]...last]))
    }

    private static func list(
        _ request: LoopbackServer.Request, _ bucket: String, _ state: State
    ) -> LoopbackServer.Reply {
        let items = URLComponents(string: request.path)?.queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        let start = bucket + (bucket.hasSuffix("/") ? "" : "/")
        let prefix = value("prefix") ?? ""
        let keys = state.objects.keys.filter { $0.hasPrefix(start) }
        guard start != "missing/" else { return error(404, "NoSuchBucket") }
        var entries: [String: String] = [:]
        for name in keys {
            let key = String(name.dropFirst(start.count))
            guard key.hasPrefix(prefix), let object = state.objects[name] else { continue }
            if value("delimiter") != nil, let slash = key.dropFirst(prefix.count).firstIndex(of: "/") {
                let folder = String(key[...slash])
                entries[folder] = "<CommonPrefixes><Prefix>\(escaped(folder))</Prefix></CommonPrefixes>"
            } else {
                entries[key] = """
                    <Contents><Key>\(escaped(key))</Key><LastModified>2013-05-24T00:00:00Z</LastModified>\
                    <ETag>\(object.tag)</ETag><Size>\(object.bytes.count)</Size></Contents>
                    """
            }
        }
        let rest = entries.keys.sorted().filter { $0 > value("continuation-token") ?? "" }
        let page = rest.prefix(pageCount)
        let next = rest.count > page.count ? page.last.map { escaped($0) } : nil
        let more = next.map { "<IsTruncated>true</IsTruncated><NextContinuationToken>\($0)</NextContinuationToken>" }
        let text = "<ListBucketResult>\(more ?? "")\(page.map { entries[$0]! }.joined())</ListBucketResult>"
        return reply(200, ["Content-Type: application/xml"], Array(text.utf8))
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
#endif
