internal import Essentials
internal import Raster

/// A request that a store refused, or that failed on its way.
public struct S3Failure: Error, Hashable, Sendable {
    /// The store's name for the failure, such as `NoSuchKey`, `SlowDown` or `AccessDenied`; for failures on the way,
    /// `Transport`; `Truncated` or `BadDigest` for an answer that isn't whole or has another checksum.
    public var code: String
    /// The store's explanation.
    public var message: String
    /// The HTTP status; 0 if there was no answer.
    public var status = 0
    /// The store's number of the request, for its operators.
    public var requestID: String?
    /// The region that the bucket is in, if the store says so.
    var region: String?
    /// The delay that the store asks for before the next attempt, in seconds.
    var retryAfter: Int64?
    /// The difference between the store's clock and this machine's, in seconds.
    var clockDifference: Int64?

    /// A failure without an answer of the store.
    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// Reads an answer with an error status.
    /// - Parameter body: The XML; empty for a HEAD request.
    init(_ response: DataResponse, body: [UInt8], now: Int64) {
        status = response.statusCode
        let error = XMLElement(body).flatMap { root in
            root.name == "Error" ? root : root.children.first { $0.name == "Error" }
        }
        code = error?["Code"] ?? Self.code(for: response.statusCode)
        message = error?["Message"] ?? "the store answered \(HTTPStatus.description(response.statusCode))"
        requestID = error?["RequestId"] ?? response.headers["x-amz-request-id"]
        region = response.headers["x-amz-bucket-region"] ?? error?["Region"]
        retryAfter = RetryAfter.seconds(response.headers, now: now)
        let time =
            error?["ServerTime"].flatMap { try? Date($0, strategy: .iso8601) }.map { Int64($0.timeIntervalSince1970) }
            ?? response.headers["Date"].flatMap { HTTPDate.secondsSince1970($0) }
        clockDifference = time.map { $0 - now }
    }

    private static func code(for status: Int) -> String {
        switch status {
        case 304: "NotModified"
        case 403: "AccessDenied"
        case 404: "NoSuchKey"
        case 412: "PreconditionFailed"
        case 416: "InvalidRange"
        case 500: "InternalError"
        case 503: "SlowDown"
        default: "HTTP\(status)"
        }
    }

    /// Whether there is no such object or bucket.
    package var isOfMissing: Bool { code == "NoSuchKey" || status == 404 }

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        let codes: Set<String> = [
            "SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "OperationAborted", "Transport",
            "Truncated",
            "BadDigest", "TooManyRequests", "Throttling", "ThrottlingException", "RequestLimitExceeded",
        ]
        return codes.contains(code) || [429, 500, 502, 503, 504].contains(status)
    }

    /// Whether the store didn't accept the time of the signature. An answer without a body has no code, but a date.
    var isOfSkewedClock: Bool {
        code == "RequestTimeTooSkewed" || code == "RequestExpired"
            || status == 403 && code == "AccessDenied" && abs(clockDifference ?? 0) > 240
    }

    /// Whether the credentials have expired. An answer without a body has no code.
    func isOfExpiredCredentials(_ credentials: S3Credentials, hadBody: Bool) -> Bool {
        ["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken"].contains(code)
            || !hadBody && (status == 400 || status == 403) && credentials.sessionToken != nil
    }
}

extension S3Failure: CustomStringConvertible {
    /// The failure in a sentence, with the store's code.
    public var description: String {
        var text = message.hasSuffix(".") ? String(message.dropLast()) : message
        if status > 0 { text += " (\(code), \(HTTPStatus.description(status)))" }
        return text
    }
}

extension ImageError {
    /// A failed request for the object or prefix at `address`.
    init(_ error: any Error, about address: S3Address, _ work: String) {
        switch error {
        case let error as ImageError: self = error
        case is CancellationError: self.init(.cancelled, "\(work) \(address) was cancelled")
        case let failure as S3Failure where failure.isOfMissing:
            self.init(.inputOutput, "\(address) doesn't exist: \(failure)")
        case let failure as S3Failure: self.init(.inputOutput, "\(work) \(address) failed: \(failure)")
        default: self.init(.inputOutput, "\(work) \(address) failed: \(error)")
        }
    }
}
