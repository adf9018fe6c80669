#if Server
internal import CTesseraLibCrypto
internal import Essentials
internal import ImageFormats
internal import ImageLoading
public import Raster

/// Signs addresses of an image server and checks their signatures, by HMAC-SHA256 (RFC 2104).
///
/// ```swift
/// let signature = try URLSignature(keys: [SigningKey(secret, id: "2026-08")])
/// let link = try signature.signed("/image/hall.jpg?w=800", expires: now + 3600)
/// let album = try signature.signed(prefixOf: "https://example.org/?folder=town")
/// ```
///
/// **An address's** signature covers its path as sent and, if there is a query, a question mark and the query's items
/// as sent, without `sig`, sorted by their bytes and joined by `&`. The item `sig` is the code in base64url (RFC 4648)
/// without padding, `kid` is the key's id, and `expires` is the last valid second since 1970.
///
/// **A prefix's** signature covers the text `tessera-prefix:PREFIX.EXPIRES.ID`, where PREFIX is a slash and the
/// identifier of an image or a folder, in base64url. `/signed/PREFIX.EXPIRES.ID.CODE` in front of an address grants
/// access to it if it lies within the prefix. Addresses in the server's responses start with the same text, so viewers
/// can zoom without further signatures.
public struct URLSignature: Sendable {
    /// The newest last.
    private let keys: [SigningKey]
    private let basePath: BasePath

    /// The most keys of a signature.
    public static let maximumKeyCount = 64

    /// Signs with the last key, which is the newest, and accepts signatures by any of them.
    /// - Parameter basePath: The path below which a proxy publishes the server, `/images`. Signatures don't cover it.
    /// - Throws: `invalidParameter` for no keys, more than 64, or two with the same id, and for an invalid base path.
    public init(keys: [SigningKey], basePath: String = "") throws(ImageError) {
        guard 1...Self.maximumKeyCount ~= keys.count else {
            throw ImageError(.invalidParameter, "invalid number of signing keys \(keys.count): there must be 1 to 64")
        }
        let ids = keys.compactMap(\.id)
        guard Set(ids).count == ids.count else {
            throw ImageError(.invalidParameter, "two signing keys have the same id")
        }
        self.keys = keys
        self.basePath = try BasePath(basePath)
    }

    private var newest: SigningKey { keys[keys.count - 1] }

    // MARK: Addresses

    /// Returns `address` with a signature in its query, replacing any that it has.
    /// - Parameters:
    ///   - address: A complete address, or a path and query; percent-encoded. A fragment is dropped.
    ///   - expires: The last valid second since 1970; nil to keep the address's expiry, or for none.
    /// - Throws: `invalidParameter` for an address that isn't percent-encoded or has no path.
    public func signed(_ address: String, expires: Int64? = nil) throws(ImageError) -> String {
        let (server, whole) = try Self.parts(of: address)
        let (base, target) = basePath.split(whole)
        var parts = Parts(target)
        let replaced: Set<Substring> = expires == nil ? ["sig", "kid"] : ["sig", "kid", "expires"]
        parts.items.removeAll { replaced.contains(Parts.name($0)) }
        if let expires { parts.items.append("expires=\(expires)") }
        if let id = newest.id { parts.items.append("kid=\(id)") }
        parts.items.append("sig=\(Self.code(of: parts.message, newest))")
        return "\(server)\(base)\(parts.path)?\(parts.items.joined(separator: "&"))"
    }

    /// Checks `target`, a path and query as sent; `now` is in seconds since 1970.
    /// - Returns: The last valid second; nil if the signature doesn't expire.
    /// - Throws: 403 for a missing, invalid or expired signature.
    @discardableResult
    package func check(_ target: String, now: Int64) throws(RequestFailure) -> Int64? {
        var parts = Parts(target)
        let signatures = parts.items.filter { Parts.name($0) == "sig" }
        parts.items.removeAll { Parts.name($0) == "sig" }
        guard let signature = signatures.first else { throw .unsigned }
        let ids = parts.items.filter { Parts.name($0) == "kid" }.map { $0.dropFirst("kid=".count) }
        guard signatures.count == 1, ids.count <= 1 else { throw Self.invalid }
        try check(signature.dropFirst("sig=".count), of: parts.message, id: ids.first)
        // The signature covers it, so only a key's owner can have written it.
        var last: Int64?
        for item in parts.items where Parts.name(item) == "expires" {
            guard let end = Int64(item.dropFirst("expires=".count)), now <= end else { throw Self.expired }
            last = min(end, last ?? end)
        }
        return last
    }

    // MARK: Prefixes

    /// Returns `address` with the signature of its prefix, which grants the address's image in all its renderings, or
    /// the folder of a listing or gallery with every image in and below it.
    /// - Parameters:
    ///   - address: A complete address, or a path and query; percent-encoded. A fragment is dropped.
    ///   - expires: The last valid second since 1970; nil for none.
    /// - Throws: `invalidParameter` for an address that isn't percent-encoded, or belongs to no image and no folder.
    public func signed(prefixOf address: String, expires: Int64? = nil) throws(ImageError) -> String {
        let (server, whole) = try Self.parts(of: address)
        let (base, target) = basePath.split(whole)
        let prefix: SignedPrefix
        do throws(RequestFailure) {
            prefix = try Route.prefix(of: target)
        } catch {
            throw ImageError(
                .invalidParameter, "\(address.quotedForPeople) can't be signed by prefix: \(error.message)")
        }
        return "\(server)\(base)/\(SignedPrefix.segment)/\(token(for: prefix, expires: expires))\(target)"
    }

    /// The signature of a prefix, as a segment of a path or the value of a cookie.
    package func token(for prefix: SignedPrefix, expires: Int64? = nil) -> String {
        let text = "\(Array(prefix.text.utf8).base64URL).\(expires.map(String.init) ?? "").\(newest.id ?? "")"
        return "\(text).\(Self.code(of: Self.prefixMessage(text), newest))"
    }

    /// Checks the signature of a prefix; `now` is in seconds since 1970.
    /// - Returns: The prefix, and the last valid second; nil if the signature doesn't expire.
    /// - Throws: 403 for an invalid or expired signature.
    package func check(token: some StringProtocol, now: Int64) throws(RequestFailure) -> (SignedPrefix, Int64?) {
        let parts = Substring(token).split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 4 else { throw Self.invalid }
        let text = "\(parts[0]).\(parts[1]).\(parts[2])"
        try check(parts[3], of: Self.prefixMessage(text), id: parts[2].isEmpty ? nil : parts[2])
        guard let bytes = [UInt8](base64URL: parts[0]), let string = String(validating: bytes, as: UTF8.self),
            let prefix = SignedPrefix(string)
        else { throw Self.invalid }
        guard !parts[1].isEmpty else { return (prefix, nil) }
        guard let end = Int64(parts[1]), now <= end else { throw Self.expired }
        return (prefix, end)
    }

    /// Distinct from every message of an address, since those begin with a slash.
    private static func prefixMessage(_ text: String) -> [UInt8] { Array("tessera-prefix:\(text)".utf8) }

    // MARK: Codes

    private static let invalid = RequestFailure(
        403, "invalid signature: ask the operator of this server for a signed link")
    private static let expired = RequestFailure(
        403, "the signature has expired: ask the operator of this server for a new link")

    /// - Parameter id: The key's id; nil for signatures without one, which any key may have made.
    private func check(_ code: Substring, of message: [UInt8], id: Substring?) throws(RequestFailure) {
        // Every candidate key is compared, so that the time doesn't reveal which one matched.
        var matches = false
        let id = id.map(String.init)
        for key in keys where id == nil || key.id == id {
            if Self.areEqual(Self.code(of: message, key), code) { matches = true }
        }
        guard matches else { throw Self.invalid }
    }

    private static func code(of message: [UInt8], _ key: SigningKey) -> String {
        MessageDigest.authenticationCode(of: message, key: key.secret).base64URL
    }

    /// Compares in constant time for equal lengths.
    private static func areEqual(_ a: String, _ b: Substring) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        return a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }
}

extension URLSignature {
    /// A path and a query's items, both as sent.
    struct Parts {
        var path: Substring
        var items: [Substring]

        init(_ target: some StringProtocol) {
            let parts = Substring(target).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
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

    /// The path and query of an address below a base path, for signing.
    /// - Throws: `invalidParameter` for an address that isn't percent-encoded, or has no path, and for an invalid base path.
    package static func target(of address: String, basePath: String = "") throws(ImageError) -> String {
        try BasePath(basePath).split(parts(of: address).target).rest
    }

    /// Whether the path belongs to a page, which needs a prefix signature as it loads from other addresses.
    package static func isPage(_ target: String) -> Bool { Route.isPage(Parts(target).path) }

    /// Splits an address into its scheme and authority, which may be empty, and its path and query; drops the fragment.
    /// - Throws: `invalidParameter` for an address that isn't percent-encoded, or has no path.
    static func parts(of address: String) throws(ImageError) -> (server: Substring, target: Substring) {
        if let byte = address.utf8.first(where: { $0 <= 0x20 || $0 >= 0x7F || "\"<>\\^`{|}".utf8.contains($0) }) {
            throw ImageError(
                .invalidParameter,
                "\"\(address)\" isn't percent-encoded: write \(PercentEncoding.encoded(byte)) for the byte that must be"
            )
        }
        let whole = address.prefix { $0 != "#" }
        guard !whole.hasPrefix("/") else { return ("", whole) }
        guard let scheme = whole.firstRange(of: "://") else {
            throw ImageError(.invalidParameter, "\"\(address)\" isn't an address: write http://host/path or /path")
        }
        guard let slash = whole[scheme.upperBound...].firstIndex(of: "/"), slash > scheme.upperBound else {
            throw ImageError(.invalidParameter, "\"\(address)\" has no path: write http://host/path or /path")
        }
        return (whole[..<slash], whole[slash...])
    }
}

extension [UInt8] {
    /// Base64url (RFC 4648, section 5) without padding.
    var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes base64url without padding; nil for malformed text.
    init?(base64URL text: some StringProtocol) {
        let base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64 + padding) else { return nil }
        self.init(data)
        // Only the canonical encoding: no other alphabet, no padding, no bits beyond the last byte.
        guard base64URL.utf8.elementsEqual(text.utf8) else { return nil }
    }
}
#endif
