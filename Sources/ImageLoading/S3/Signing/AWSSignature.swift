#if HTTP
internal import Essentials
internal import ImageFormats

/// Signs requests by AWS Signature Version 4 with HMAC-SHA256.
///
/// Paths are signed as they are sent, which is Amazon S3's form: neither normalized nor encoded twice. Source: Amazon
/// Simple Storage Service API Reference, "Authenticating Requests: Using the Authorization Header".
package struct AWSSignature {
    /// The parts of a request that are signed.
    package struct Message {
        package var method: String
        /// The percent-encoded path.
        package var path: String
        /// Names and values of the query, not encoded.
        package var query: [(name: String, value: String)]
        /// Every header field that is signed, `Host` included.
        package var headers: [(name: String, value: String)]
        /// The SHA-256 of the body in hexadecimal digits, or `UNSIGNED-PAYLOAD`.
        package var payloadHash: String

        package init(
            method: String, path: String, query: [(name: String, value: String)] = [],
            headers: [(name: String, value: String)], payloadHash: String
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.payloadHash = payloadHash
        }
    }

    private let credentials: S3Credentials
    private let region: String
    private let service: String
    /// The time of the signature in seconds since 1970.
    private let time: Int64

    package init(credentials: S3Credentials, region: String, service: String = "s3", time: Int64) {
        self.credentials = credentials
        self.region = region
        self.service = service
        self.time = time
    }

    /// The time as in `X-Amz-Date`: `20130524T000000Z`.
    package var timestamp: String { HTTPDate.internetText(time).filter { $0 != "-" && $0 != ":" } }

    private var scope: String { "\(timestamp.prefix(8))/\(region)/\(service)/aws4_request" }

    /// The value of the field `Authorization`.
    package func authorization(for message: Message) -> String {
        let signature = Self.hexadecimal(
            MessageDigest.authenticationCode(of: Array(stringToSign(for: message).utf8), key: key))
        let names = Self.fields(of: message).map(\.name).joined(separator: ";")
        return
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
    }

    /// The text whose authentication code is the signature.
    package func stringToSign(for message: Message) -> String {
        "AWS4-HMAC-SHA256\n\(timestamp)\n\(scope)\n\(Self.hash(Array(canonicalRequest(for: message).utf8)))"
    }

    /// The request in canonical form.
    package func canonicalRequest(for message: Message) -> String {
        let fields = Self.fields(of: message)
        let lines = fields.map { "\($0.name):\($0.value)\n" }.joined()
        let names = fields.map(\.name).joined(separator: ";")
        let path = message.path.isEmpty ? "/" : message.path
        return [message.method, path, Self.query(message.query), lines, names, message.payloadHash].joined(
            separator: "\n")
    }

    /// The query in canonical form, which is also sent.
    static func query(_ items: [(name: String, value: String)]) -> String {
        items.map { (name: encode($0.name), value: encode($0.value)) }.sorted { a, b in
            a.name == b.name ? precedes(a.value, b.value) : precedes(a.name, b.name)
        }.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// Percent-encodes everything but ASCII letters, digits and `-._~`.
    package static func encode(_ text: String, keepsSlashes: Bool = false) -> String {
        PercentEncoding.encoded(text, keeping: keepsSlashes ? "/" : "")
    }

    /// The SHA-256 of `bytes` in hexadecimal digits.
    package static func hash(_ bytes: [UInt8]) -> String { hexadecimal(sha256(bytes)) }

    private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        guard let digest = MessageDigest.of(bytes, .sha256) else { preconditionFailure("libcrypto has no SHA-256") }
        return digest
    }

    private var key: [UInt8] {
        [String(timestamp.prefix(8)), region, service, "aws4_request"].reduce(
            Array("AWS4\(credentials.secretAccessKey)".utf8)
        ) { key, part in MessageDigest.authenticationCode(of: Array(part.utf8), key: key) }
    }

    /// The header fields by name in lower case, with equal names joined, spaces trimmed and runs of spaces made one.
    private static func fields(of message: Message) -> [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for (name, value) in message.headers {
            let words = value.split { $0 == " " || $0 == "\t" || $0.isNewline }
            values[name.lowercased(), default: []].append(words.joined(separator: " "))
        }
        return values.map { (name: $0.key, value: $0.value.joined(separator: ",")) }.sorted {
            precedes($0.name, $1.name)
        }
    }

    private static func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }

    /// Hexadecimal digits in lower case.
    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
#endif
