public import Essentials
internal import ImageFormats
public import Raster

/// The address of an object in a bucket, or of a prefix of keys: `s3://bucket/key`.
public struct S3Address: Hashable, Sendable {
    /// The bucket's name.
    public let bucket: String
    /// The key, without its leading slash; empty for the bucket itself.
    public let key: String

    /// The longest key, in bytes of UTF-8.
    public static let keyByteCount = 1024

    /// Creates an address from its parts.
    /// - Throws: `invalidParameter` for a bucket whose name isn't 1 to 255 letters, digits, dots, hyphens and underscores,
    ///   and for a key that is longer than 1024 bytes or contains a zero byte.
    public init(bucket: String, key: String) throws(ImageError) {
        let isName = bucket.utf8.allSatisfy { byte in
            byte.isLetterOrDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard isName, (1...255).contains(bucket.utf8.count), !bucket.hasPrefix(".") else {
            throw ImageError(
                .invalidParameter,
                "invalid bucket \"\(bucket)\": a name has letters, digits, dots and hyphens, as in s3://bucket/photo.jpg"
            )
        }
        guard key.utf8.count <= Self.keyByteCount, !key.utf8.contains(0) else {
            throw ImageError(
                .invalidParameter,
                "invalid key of \(key.utf8.count) bytes: a key has at most \(Self.keyByteCount), and no zero byte")
        }
        self.bucket = bucket
        self.key = key
    }

    /// Parses `s3://bucket/key`, in which the key is written as it is, without percent-encoding.
    /// - Throws: `invalidParameter` for other text.
    public init(_ text: String) throws(ImageError) {
        guard Self.isAddress(text) else {
            throw ImageError(
                .invalidParameter, "\(text) isn't an address in a bucket; write one as in s3://bucket/photo.jpg")
        }
        let rest = Substring(text.utf8.dropFirst(5))
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        try self.init(bucket: String(rest[..<slash]), key: String(Substring(rest.utf8[slash...].dropFirst())))
    }

    /// Parses a URL `s3://bucket/key`, in which the key is percent-encoded.
    /// - Throws: `invalidParameter` for another URL.
    public init(_ url: URL) throws(ImageError) {
        let text = url.absoluteString
        guard Self.isAddress(text) else { throw ImageError(.invalidParameter, "\(text) isn't an s3 URL") }
        try self.init(Self.decoded(text))
    }

    /// Replaces each percent sign with two hexadecimal digits by the byte they stand for.
    private static func decoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(\.isLetterOrDigit),
                let value = UInt8(String(Substring(digits)), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The address as a URL, with the key percent-encoded.
    public var url: URL? { URL(string: "s3://\(bucket)/\(PercentEncoding.encoded(key, keeping: "/"))") }

    /// Whether `text` begins like an address.
    public static func isAddress(_ text: String) -> Bool {
        text.utf8.count > 5 && text.prefix(5).lowercased() == "s3://"
    }
}

extension S3Address: CustomStringConvertible {
    /// The address as text, with the key as it is.
    public var description: String { "s3://\(bucket)/\(key)" }
}
