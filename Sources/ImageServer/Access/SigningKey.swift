internal import ImageFormats
public import Raster

/// A secret that signs addresses and checks their signatures.
public struct SigningKey: Hashable, Sendable {
    /// The key's name in signatures, by which a server finds the key; nil for a key that signs without a name.
    public let id: String?
    /// The secret, 16 to 4096 bytes.
    public let secret: [UInt8]

    /// The permitted lengths of secrets, in bytes.
    public static let secretByteCounts = 16...4096
    /// The longest name of a key, in bytes.
    public static let idByteCount = 64

    /// Creates a key.
    /// - Throws: `invalidParameter` for a secret shorter than 16 or longer than 4096 bytes, and for an id that isn't 1
    ///   to 64 ASCII letters, digits, hyphens and underscores.
    public init(_ secret: some Sequence<UInt8>, id: String? = nil) throws(ImageError) {
        let secret = Array(secret)
        guard Self.secretByteCounts.contains(secret.count) else {
            throw ImageError(
                .invalidParameter,
                "invalid key of \(secret.count) bytes: a key has 16 to 4096 bytes, as from: openssl rand -hex 32")
        }
        if let id {
            guard Self.isID(id.utf8) else {
                throw ImageError(
                    .invalidParameter,
                    "invalid key id \(id.quotedForPeople): an id has 1 to 64 letters, digits, hyphens and underscores")
            }
        }
        self.secret = secret
        self.id = id
    }

    /// Parses a key file, with the newest key last: a line `ID:SECRET` for each key, or a single secret without an id.
    ///
    /// Trailing newlines are ignored. Secrets in lines are printable ASCII without spaces; a file with other bytes is a
    /// single secret.
    /// - Throws: `invalidParameter` for a secret that is too short or too long, and for an id that occurs twice.
    public static func keys(inFile bytes: some Sequence<UInt8>) throws(ImageError) -> [SigningKey] {
        var bytes = Array(bytes)[...]
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let named = lines.compactMap(Self.named)
        guard named.count == lines.count, !named.isEmpty else { return [try SigningKey(Array(bytes))] }
        var keys: [SigningKey] = []
        for (id, secret) in named {
            guard !keys.contains(where: { $0.id == id }) else {
                throw ImageError(.invalidParameter, "the key id \(id.quotedForPeople) occurs twice")
            }
            keys.append(try SigningKey(Array(secret), id: id))
        }
        return keys
    }

    private static func named(_ line: ArraySlice<UInt8>) -> (id: String, secret: ArraySlice<UInt8>)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isID(line[..<colon]),
            line.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return nil }
        return (String(decoding: line[..<colon], as: UTF8.self), line[(colon + 1)...])
    }

    static func isID(_ bytes: some Collection<UInt8>) -> Bool {
        (1...idByteCount).contains(bytes.count) && bytes.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    }
}
