#if Server
internal import CTesseraLibCrypto

/// Signs addresses, and checks those that others have signed: HMAC-SHA256 (RFC 2104) over the path and the query.
///
/// What is signed is the path as it's sent, and where there is a query a question mark and the query's items as they're sent,
/// sorted by their bytes and joined by `&`, without `sig`. The item `sig` is the code in base64url (RFC 4648) without padding.
/// An item `expires` is the second since 1970 after which the address is good for nothing.
package struct URLSignature: Sendable {
    private let keys: [[UInt8]]

    /// Signs with the first key, and takes what any of them has signed.
    package init(keys: [[UInt8]]) {
        precondition(!keys.isEmpty)
        self.keys = keys
    }

    /// `target`, a path with or without a query, signed. A signature that it has is replaced, and so is its end where another
    /// is given.
    package func signed(_ target: String, expires: Int64? = nil) -> String {
        var parts = Parts(target)
        parts.items.removeAll { Parts.name($0) == "sig" || expires != nil && Parts.name($0) == "expires" }
        if let expires { parts.items.append("expires=\(expires)") }
        parts.items.append("sig=\(Self.code(of: parts, key: keys[0]))")
        return "\(parts.path)?\(parts.items.joined(separator: "&"))"
    }

    /// Checks `target`, a path and a query as they were sent, `now` being the seconds since 1970.
    /// - Returns: The last second in which it is good; nil where that is said of none.
    /// - Throws: 403 for one that isn't signed, or not by these keys, or whose time is over.
    @discardableResult
    package func check(_ target: String, now: Int64) throws(RequestFailure) -> Int64? {
        var parts = Parts(target)
        let signatures = parts.items.filter { Parts.name($0) == "sig" }
        parts.items.removeAll { Parts.name($0) == "sig" }
        guard let signature = signatures.first else { throw RequestFailure(403, "this address has to be signed") }
        guard signatures.count == 1,
            keys.contains(where: { Self.areEqual(Self.code(of: parts, key: $0), signature.dropFirst(4)) })
        else { throw RequestFailure(403, "this address isn't signed as it has to be") }
        // Signed, so that nobody else can have written it.
        var last: Int64?
        for item in parts.items where Parts.name(item) == "expires" {
            guard let end = Int64(item.dropFirst("expires=".count)), now <= end else {
                throw RequestFailure(403, "the time of this address is over")
            }
            last = min(end, last ?? end)
        }
        return last
    }

    /// A path and a query's items, both as they're sent.
    private struct Parts {
        var path: Substring
        var items: [Substring]

        init(_ target: String) {
            let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            path = parts.first ?? ""
            items = parts.count > 1 ? parts[1].split(separator: "&") : []
        }

        static func name(_ item: Substring) -> Substring { item.prefix { $0 != "=" } }

        var message: [UInt8] {
            guard !items.isEmpty else { return Array(path.utf8) }
            let sorted = items.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            return Array(path.utf8) + [UInt8(ascii: "?")] + sorted.joined(separator: [UInt8(ascii: "&")])
        }
    }

    private static func code(of parts: Parts, key: [UInt8]) -> String {
        code(of: parts.message, key: key).base64URL
    }

    /// HMAC-SHA256 of `message`: 32 bytes.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        // It fails only where there is no memory, or no SHA-256.
        let result = HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, &length)
        precondition(result != nil && length == 32, "libcrypto has no HMAC-SHA256")
        return code
    }

    /// Whether both are the same. How long it takes says nothing of where they differ.
    private static func areEqual(_ a: String, _ b: Substring) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        return a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }
}

extension [UInt8] {
    /// The bytes in base64url (RFC 4648, section 5), without padding.
    fileprivate var base64URL: String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: count, by: 3) {
            let group = self[start..<Swift.min(start + 3, count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for _ in 0...group.count {
                result.append(letters[Int(bits >> 18 & 63)])
                bits <<= 6
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
#endif
