#if HTTP
internal import Essentials
internal import ImageFormats
internal import Platform
internal import Raster
internal import Synchronization

/// A store of objects that speaks S3's protocol: Amazon S3, OpenStack Swift, Ceph, MinIO, and others.
///
/// Requests are signed with AWS Signature Version 4. A request that the store or the network fails is sent again, with
/// growing delays; a clock that differs from the store's is corrected, expired credentials are replaced, and a bucket in
/// another region is followed there.
///
/// ```swift
/// let source = try await S3Store.shared.source(S3Address("s3://photos/survey.jpg"))
/// let image = try await TiledImage(source)
/// ```
public final class S3Store: Sendable {
    /// The store that the environment names, as for AWS's own programs (`S3Configuration.init(environment:)`).
    public static let shared = S3Store(S3Configuration(environment: ProcessInfo.processInfo.environment))

    /// Where the store is.
    public let configuration: S3Configuration
    private let chain: S3CredentialChain
    private let loader: HTTPDataLoader
    private let state: Mutex<State>
    private let counts = Mutex(Counts())

    private struct State {
        /// The difference between the store's clock and this machine's, in seconds.
        var clockDifference: Int64 = 0
        /// The regions of buckets that are in another one than the configuration's.
        var regions: [String: String] = [:]
        /// Whether the store answers several byte ranges at once; nil if that isn't known yet.
        var answersSeveralRanges: Bool?
        /// Whether the store can write an object only if there is none; nil if that isn't known yet.
        var checksForObjects: Bool?
    }

    /// The requests so far.
    public struct Counts: Hashable, Sendable {
        /// The number of requests sent, repeated ones included.
        public var requestCount = 0
        /// The number of requests that were sent again.
        public var retryCount = 0
        /// The bytes of bodies received.
        public var receivedByteCount = 0
        /// The bytes of bodies sent.
        public var sentByteCount = 0
    }

    /// Creates a client with separate connections.
    public init(_ configuration: S3Configuration) {
        self.configuration = configuration
        chain =
            configuration.credentials.map { S3CredentialChain($0) }
            ?? S3CredentialChain(environment: configuration.environment)
        var settings = HTTPDataLoader.Configuration(
            connectTimeout: configuration.connectTimeout, idleTimeout: configuration.idleTimeout)
        settings.followsRedirects = false
        loader = HTTPDataLoader(configuration: settings)
        state = Mutex(State(answersSeveralRanges: configuration.answersSeveralRanges))
    }

    /// The requests so far.
    public var requests: Counts { counts.withLock { $0 } }

    /// Whether to request several byte ranges at once.
    var asksForSeveralRanges: Bool {
        get { state.withLock { $0.answersSeveralRanges ?? true } }
        set { state.withLock { $0.answersSeveralRanges = newValue } }
    }

    /// Whether the store can write an object only if there is none; nil as long as none was written like that.
    package internal(set) var checksForObjects: Bool? {
        get { state.withLock { $0.checksForObjects } }
        set { state.withLock { $0.checksForObjects = newValue } }
    }

    // MARK: Requests

    /// Sends a request until it succeeds or fails for good, and returns the result of `receive` for the answer.
    ///
    /// An error of `receive` that may pass, such as for an answer that ends early, repeats the request.
    /// - Throws: `S3Failure`, `CancellationError`, or an error of `receive`.
    func perform<R>(
        _ request: S3Request, _ receive: (DataDownload) async throws -> R
    ) async throws -> R {
        var attempt = 1
        var corrections: Set<Correction> = []
        var refused: S3Credentials?
        while true {
            try Task.checkCancellation()
            let failure: S3Failure
            let credentials = try await chain.credentials(replacing: refused)
            let region = state.withLock { $0.regions[request.bucket] ?? configuration.region }
            do {
                let download = try await loader.load(message(request, credentials, region))
                counts.withLock { counts in
                    counts.requestCount += 1
                    counts.sentByteCount += request.body?.count ?? 0
                }
                if 200..<300 ~= download.response.statusCode { return try await receive(download) }
                let body = request.method == "HEAD" ? [] : try await Self.bytes(of: download, limit: 64 << 10)
                failure = S3Failure(download.response, body: body, now: Int64(time(nil)))
            } catch let error as S3Failure {
                failure = error
            } catch DataLoadingError.transport(let error) where error.isTransient {
                failure = S3Failure(code: "Transport", message: error.message)
            } catch DataLoadingError.transport(let error) {
                throw S3Failure(code: "Connection", message: error.message)
            }
            if failure.isOfSkewedClock, let difference = failure.clockDifference, corrections.insert(.clock).inserted {
                state.withLock { $0.clockDifference = difference }
            } else if failure.isOfExpiredCredentials(credentials, hadBody: request.method != "HEAD"),
                corrections.insert(.credentials).inserted
            {
                refused = credentials
            } else if let other = failure.region, other != region, corrections.insert(.region).inserted {
                state.withLock { $0.regions[request.bucket] = other }
            } else {
                guard failure.isTransient, attempt < configuration.attemptCount else { throw failure }
                try await Task.sleep(for: delay(attempt, failure))
                attempt += 1
            }
            counts.withLock { $0.retryCount += 1 }
        }
    }

    /// The corrections, each made at most once for a request.
    private enum Correction { case clock, credentials, region }

    /// A random delay before the next attempt, up to a bound that doubles with each.
    private func delay(_ attempt: Int, _ failure: S3Failure) -> Duration {
        let bound = min(0.1 * Double(1 << min(attempt, 20)), configuration.longestDelay / .seconds(1))
        let delay = Double.random(in: bound / 2...bound)
        return .seconds(min(max(delay, Double(failure.retryAfter ?? 0)), configuration.longestDelay / .seconds(1)))
    }

    private func message(
        _ request: S3Request, _ credentials: S3Credentials, _ region: String
    ) throws -> DataRequest {
        let (base, host, root) = configuration.place(of: request.bucket, in: region)
        let path = root + "/" + AWSSignature.encode(request.key, keepsSlashes: true)
        let query = AWSSignature.query(request.query)
        guard !host.isEmpty, let url = URL(string: base + path + (query.isEmpty ? "" : "?" + query)) else {
            throw S3Failure(
                code: "InvalidEndpoint",
                message:
                    "invalid endpoint \(configuration.endpoint?.absoluteString ?? ""): write one as in https://storage.example.org"
            )
        }
        let time = Int64(time(nil)) + state.withLock { $0.clockDifference }
        let signature = AWSSignature(credentials: credentials, region: region, time: time)
        let hash = AWSSignature.hash(request.body ?? [])
        var fields: [(name: String, value: String)] = [
            ("Host", host), ("x-amz-content-sha256", hash), ("x-amz-date", signature.timestamp),
        ]
        if let token = credentials.sessionToken { fields.append(("x-amz-security-token", token)) }
        fields += request.headers
        let authorization = signature.authorization(
            for: AWSSignature.Message(
                method: request.method, path: path, query: request.query, headers: fields, payloadHash: hash))
        var message = DataRequest(url: url)
        for (name, value) in fields { message.headers.add(name, value) }
        message.headers.add("Authorization", authorization)
        message.method = request.method
        message.body = request.body
        return message
    }

    // MARK: Bodies

    /// Returns an answer's body.
    /// - Throws: `S3Failure` for more than `limit` bytes, before they are received if their number is announced, and for an
    ///   answer that ends early.
    static func bytes(of download: DataDownload, limit: Int) async throws -> [UInt8] {
        let expected = download.response.expectedByteCount
        guard expected ?? 0 <= limit else { throw tooLong(limit) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(expected ?? 0, limit))
        for try await piece in download.body {
            guard bytes.count + piece.count <= limit else { throw tooLong(limit) }
            bytes += piece
        }
        guard bytes.count == expected ?? bytes.count else {
            throw S3Failure(
                code: "Truncated", message: "the answer ends after \(bytes.count) of \(expected ?? 0) bytes")
        }
        return bytes
    }

    /// As the static form, and counts the bytes.
    func receive(_ download: DataDownload, limit: Int) async throws -> [UInt8] {
        let bytes = try await Self.bytes(of: download, limit: limit)
        counts.withLock { $0.receivedByteCount += bytes.count }
        return bytes
    }

    private static func tooLong(_ limit: Int) -> S3Failure {
        S3Failure(code: "TooLong", message: "the answer has more than \(limit) bytes")
    }
}

/// A request to a store, before it is signed.
struct S3Request: Sendable {
    var method = "GET"
    let bucket: String
    var key = ""
    var query: [(name: String, value: String)] = []
    /// The header fields, which are signed; without those of signing.
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]?

    /// A request for an object, or for a bucket if the key is empty.
    init(_ method: String = "GET", _ address: S3Address) {
        self.method = method
        bucket = address.bucket
        key = address.key
    }
}
#endif
