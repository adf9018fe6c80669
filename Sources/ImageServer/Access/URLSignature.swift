#if Server
internal import CTesseraLibCrypto
internal import Essentials
internal import ImageFormats
public import Raster

/// Signs addresses of an image server, and checks signatures: HMAC-SHA256 (RFC 2104).
///
/// ```swift
/// let signature = try URLSignature(keys: [SigningKey(secret, id: "2026-08")])
/// let link = try signature.signed("/image/hall.jpg?w=800", expires: now + 3600)
/// let album = try signature.signed(prefixOf: "https://example.org/?folder=town")
/// ```
///
/// **Of an address** the path as it is sent is signed, and where there is a query a question mark and the query's items as they
/// are sent, sorted by their bytes and joined by `&`, without `sig`. The item `sig` is the code in base64url (RFC 4648) without
/// padding, `kid` the key's id, `expires` the last second since 1970 at which the address is good.
///
/// **Of a prefix** the text `tessera-prefix:PREFIX.EXPIRES.ID` is signed, where PREFIX is a slash and the identifier of an image
/// or a folder in base64url. `/signed/PREFIX.EXPIRES.ID.CODE` before an address opens it, if it is within the prefix. What the
/// server says of an image's other addresses begins with the same text, so that viewers need nothing else to zoom.
public struct URLSignature: Sendable {
    /// The newest last.
    private let keys: [SigningKey]

    /// The most keys at a time.
    public static let maximumKeyCount = 64

    /// Signs with the last key, the newest, and accepts the signatures of each.
    /// - Throws: `invalidParameter` for no keys, more than 64, and two with the same id.
    public init(keys: [SigningKey]) throws(ImageError) {
        guard 1...Self.maximumKeyCount ~= keys.count else {
            throw ImageError(.invalidParameter, "invalid number of signing keys \(keys.count): there must be 1 to 64")
        }
        let ids = keys.compactMap(\.id)
        guard Set(ids).count == ids.count else {
            throw ImageError(.invalidParameter, "two signing keys have the same id")
        }
        self.keys = keys
    }

    private var newest: SigningKey { keys[keys.count - 1] }

    // MARK: Addresses

    /// A signed address: `address` with a signature in its query. A signature that it has is replaced.
    /// - Parameters:
    ///   - address: A whole address or its path and query, percent-encoded. A fragment is left out.
    ///   - expires: The last second since 1970 at which it is good; nil to keep the one that it has, or for no end.
    /// - Throws: `invalidParameter` for an address that isn't percent-encoded, or has no path.
    public func signed(_ address: String, expires: Int64? = nil) throws(ImageError) -> String {
        let (server, target) = try Self.parts(of: address)
        var parts = Parts(target)
        let replaced: Set<Substring> = expires == nil ? ["sig", "kid"] : ["sig", "kid", "expires"]
        parts.items.removeAll { replaced.contains(Parts.name($0)) }
        if let expires { parts.items.append("expires=\(expires)") }
        if let id = newest.id { parts.items.append("kid=\(id)") }
        parts.items.append("sig=\(Self.code(of: parts.message, newest))")
        return "\(server)\(parts.path)?\(parts.items.joined(separator: "&"))"
    }

    /// Checks `target`, a path and a query as they were sent, `now` being the seconds since 1970.
    /// - Returns: The last second in which it is good; nil where that is said of none.
    /// - Throws: 403 for one that isn't signed, or not by these keys, or whose time is over.
    @discardableResult
    package func check(_ target: String, now: Int64) throws(RequestFailure) -> Int64? {
        var parts = Parts(target)
        let signatures = parts.items.filter { Parts.name($0) == "sig" }
        parts.items.removeAll { Parts.name($0) == "sig" }
        guard let signature = signatures.first else { throw .unsigned }
        let ids = parts.items.filter { Parts.name($0) == "kid" }.map { $0.dropFirst("kid=".count) }
        guard signatures.count == 1, ids.count <= 1 else { throw Self.invalid }
        try check(signature.dropFirst("sig=".count), of: parts.message, id: ids.first)
        // Signed, so that nobody else can have written it.
        var last: Int64?
        for item in parts.items where Parts.name(item) == "expires" {
            guard let end = Int64(item.dropFirst("expires=".count)), now <= end else { throw Self.expired }
            last = min(end, last ?? end)
        }
        return last
    }

    // MARK: Prefixes

    /// `address` opened by the signature of its prefix: the image that it is about, with every address of that image, or the
    /// folder of a list or a gallery, with every image in it and below it.
    /// - Parameters: As for `signed(_:expires:)`.
    /// - Throws: `invalidParameter` for an address that isn't percent-encoded, or is about no image and no folder.
    public func signed(prefixOf address: String, expires: Int64? = nil) throws(ImageError) -> String {
        let (server, target) = try Self.parts(of: address)
        let prefix: SignedPrefix
        do throws(RequestFailure) {
            prefix = try Route.prefix(of: target)
        } catch {
            throw ImageError(
                .invalidParameter, "\(address.quotedForPeople) can't be signed by prefix: \(error.message)")
        }
        return "\(server)/\(SignedPrefix.segment)/\(token(for: prefix, expires: expires))\(target)"
    }

    /// The signature of a prefix, as one segment of a path and as the value of a cookie.
    package func token(for prefix: SignedPrefix, expires: Int64? = nil) -> String {
        let text = "\(Array(prefix.text.utf8).base64URL).\(expires.map(String.init) ?? "").\(newest.id ?? "")"
        return "\(text).\(Self.code(of: Self.prefixMessage(text), newest))"
    }

    /// Checks the signature of a prefix, `now` being the seconds since 1970.
    /// - Returns: What it opens, and the last second in which it does; nil where that is said of none.
    /// - Throws: 403 for one that isn't signed by these keys, or whose time is over.
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

    /// No address that is signed by itself begins so: those begin with a slash.
    private static func prefixMessage(_ text: String) -> [UInt8] { Array("tessera-prefix:\(text)".utf8) }

    // MARK: Codes

    private static let invalid = RequestFailure(
        403, "invalid signature: ask the operator of this server for a signed link")
    private static let expired = RequestFailure(
        403, "the signature has expired: ask the operator of this server for a new link")

    /// - Parameter id: The key's id; nil for signatures from before keys had ids, which any key may have made.
    private func check(_ code: Substring, of message: [UInt8], id: Substring?) throws(RequestFailure) {
        // Every candidate is compared, so that the time says nothing of which matched.
        var matches = false
        let id = id.map(String.init)
        for key in keys where id == nil || key.id == id {
            if Self.areEqual(Self.code(of: message, key), code) { matches = true }
        }
        guard matches else { throw Self.invalid }
    }

    private static func code(of message: [UInt8], _ key: SigningKey) -> String {
        code(of: message, key: key.secret).base64URL
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

extension URLSignature {
    /// A path and a query's items, both as they're sent.
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

    /// The path and query of an address that can be signed.
    /// - Throws: `invalidParameter` for an address that isn't percent-encoded, or has no path.
    package static func target(of address: String) throws(ImageError) -> String {
        String(try parts(of: address).target)
    }

    /// Whether the page at a path loads what it shows from other addresses, so that only the signature of a prefix opens it.
    package static func isPage(_ target: String) -> Bool { Route.isPage(Parts(target).path) }

    /// Scheme and authority, which may be empty, and the path and query without a fragment.
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
    /// The bytes in base64url (RFC 4648, section 5), without padding.
    var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The bytes that `base64URL` has; nil for a text that isn't base64url without padding.
    init?(base64URL text: some StringProtocol) {
        let base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64 + padding) else { return nil }
        self.init(data)
        // In one way only: no other alphabet, no padding, no bits beyond the last byte.
        guard base64URL.utf8.elementsEqual(text.utf8) else { return nil }
    }
}
#endif
