/// A host with a port, as URLs and variables have it.
enum HTTPAuthority {
    /// Reads `host`, `host:port`, `[IPv6]`, `[IPv6]:port`, or IPv6 alone; the host comes without brackets. Nil for what
    /// makes no sense.
    static func parse(_ text: some StringProtocol) -> (host: String, port: Int?)? {
        let text = String(text)
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            if rest.isEmpty { return (host, nil) }
            guard rest.hasPrefix(":"), let port = port(rest.dropFirst()) else { return nil }
            return (host, port)
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        switch parts.count {
        case 2:
            if parts[1].isEmpty { return (String(parts[0]), nil) }
            guard let port = port(parts[1]) else { return nil }
            return (String(parts[0]), port)
        default: return (text, nil)
        }
    }

    private static func port(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(text), (1...65535).contains(port) else {
            return nil
        }
        return port
    }
}
