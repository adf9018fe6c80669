#if Server
internal import ImageFormats
internal import ImageLoading
internal import Platform

/// A line on standard output for each request.
struct AccessLog: Sendable {
    /// An answered request.
    struct Entry: Sendable {
        let client: String
        let id: String
        let method: String
        let target: String
        let host: String?
        let status: Int
        let byteCount: Int
        let microseconds: Int64
        let referrer: String?
        let userAgent: String?
        let reason: String?
        /// In seconds since 1970.
        let time: Int64
    }

    let format: AccessLogFormat

    func write(_ entry: Entry) {
        let line = Array((text(entry) + "\n").utf8)
        // A closed pipe can't be reported. One call for each line, so that those of several threads stay whole.
        let output = FileDescriptor(STDOUT_FILENO, name: "standard output", isOwned: false)
        try? line.withUnsafeBytes { try output.write($0) }
    }

    /// Returns the line without its end.
    func text(_ entry: Entry) -> String {
        switch format {
        case .combined: Self.combined(entry)
        case .json: Self.json(entry)
        }
    }

    /// Apache's and nginx's format of that name.
    private static func combined(_ entry: Entry) -> String {
        let request = "\(entry.method) \(escaped(entry.target)) HTTP/1.1"
        let size = entry.byteCount > 0 ? "\(entry.byteCount)" : "-"
        let fields = [entry.referrer, entry.userAgent].map { "\"\($0.map(escaped) ?? "-")\"" }.joined(separator: " ")
        return "\(entry.client) - - [\(date(entry.time))] \"\(request)\" \(entry.status) \(size) \(fields)"
    }

    private static func json(_ entry: Entry) -> String {
        var members: [(String, JSONValue)] = [
            ("time", .string(HTTPDate.internetText(entry.time))), ("id", .string(entry.id)),
            ("client", .string(entry.client)), ("method", .string(entry.method)), ("target", .string(entry.target)),
            ("status", .integer(entry.status)), ("bytes", .integer(entry.byteCount)),
            ("microseconds", .integer(Int(entry.microseconds))),
        ]
        for (name, value) in [
            ("host", entry.host), ("referrer", entry.referrer), ("userAgent", entry.userAgent),
            ("reason", entry.reason),
        ] {
            if let value { members.append((name, .string(value))) }
        }
        return JSONValue.object(members).compactText
    }

    /// Escapes quotation marks, backslashes and everything that isn't printable ASCII, as Apache does.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += "\\" + String(UnicodeScalar(byte))
            case 0x20...0x7E: result.unicodeScalars.append(UnicodeScalar(byte))
            default: result += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return result
    }

    /// Formats a time as `24/Nov/2026:13:30:13 +0000`.
    private static func date(_ time: Int64) -> String {
        // 2026-11-24T13:30:13Z
        let text = HTTPDate.internetText(time)
        let parts = text.dropLast().split(separator: "T")
        let days = (parts.first ?? "").split(separator: "-")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 2, days.count == 3, let month = Int(days[1]), months.indices.contains(month - 1) else {
            return text
        }
        return "\(days[2])/\(months[month - 1])/\(days[0]):\(parts[1]) +0000"
    }
}
#endif
