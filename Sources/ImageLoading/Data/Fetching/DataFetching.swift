/// How bytes are fetched: retries, rate limit, resumption, size limit and authorisation.
///
/// Applies to every loader; for `file` and `data` URLs, only the size limit does.
public struct DataFetching: Sendable {
    /// Which failures are retried, how often and when.
    public var retry: RetryPolicy
    /// Limits the rate of requests; nil for no limit.
    public var rateLimiter: RateLimiter?
    /// Stores the beginnings of interrupted transfers, to resume them; nil to start over each time.
    public var resumableData: ResumableDataStore?
    /// The maximum length of a download, in bytes; nil for no limit.
    public var maximumByteCount: Int?
    /// Adds credentials to each request. Called before a request is sent, and again if the server rejects it (401),
    /// each time with the original request, on the concurrent pool.
    public var authorize: (@Sendable (inout DataRequest, DataAuthorization) async throws -> Void)?

    /// By default three attempts, 80 requests a second after a burst of 25, resumption, and at most 1 GiB, the default
    /// limit of decoders.
    public init(
        retry: RetryPolicy = RetryPolicy(), rateLimiter: RateLimiter? = RateLimiter(),
        resumableData: ResumableDataStore? = ResumableDataStore(), maximumByteCount: Int? = 1 << 30,
        authorize: (@Sendable (inout DataRequest, DataAuthorization) async throws -> Void)? = nil
    ) {
        self.retry = retry
        self.rateLimiter = rateLimiter
        self.resumableData = resumableData
        self.maximumByteCount = maximumByteCount
        self.authorize = authorize
    }
}

/// Context for authorising a request.
public struct DataAuthorization: Sendable {
    /// The response that rejected the request (401); nil on the first call.
    public var rejection: DataResponse?

    /// The context of a first call, or of one after a rejection.
    public init(rejection: DataResponse? = nil) { self.rejection = rejection }
}

/// Which failures of a download are retried, how often and when.
///
/// Nothing is remembered between downloads: a URL that failed is requested again the next time.
public struct RetryPolicy: Sendable {
    /// The maximum number of requests, including the first.
    public var maximumAttempts: Int
    /// The upper bound of the first pause, whose actual length is random; it doubles with every attempt.
    public var baseDelay: Duration
    /// The limit of the doubling.
    public var maximumDelay: Duration
    /// The longest `Retry-After` to wait for; if a server asks for more, the request isn't retried.
    public var maximumRetryAfter: Duration
    /// The HTTP statuses to retry.
    public var statusCodes: Set<Int>
    /// Whether to retry after a failure that isn't a status.
    public var isRetryable: @Sendable (any Error) -> Bool

    /// By default three attempts, after up to 0.5 s and up to 1 s, for busy and failing servers and lost connections.
    public init(
        maximumAttempts: Int = 3, baseDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(15),
        maximumRetryAfter: Duration = .seconds(60), statusCodes: Set<Int> = [408, 429, 500, 502, 503, 504],
        isRetryable: @escaping @Sendable (any Error) -> Bool = RetryPolicy.isTransient
    ) {
        self.maximumAttempts = maximumAttempts
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.maximumRetryAfter = maximumRetryAfter
        self.statusCodes = statusCodes
        self.isRetryable = isRetryable
    }

    /// A policy without retries.
    public static let never = RetryPolicy(maximumAttempts: 1)

    /// Whether `error` is a failed, lost or timed-out connection, or a truncated transfer.
    public static let isTransient: @Sendable (any Error) -> Bool = { error in
        switch error as? DataLoadingError {
        case .transport(let failure): failure.isTransient
        case .truncated: true
        default: false
        }
    }
}

extension RetryPolicy {
    /// The pause before the next attempt; nil if there is none.
    /// - Parameters:
    ///   - attempt: The number of failed attempts, from 1.
    ///   - time: The current time in seconds since 1970, for dates in `Retry-After`.
    ///   - random: A number in 0..<1: the fraction of the upper bound to wait ("full jitter").
    package func delay(after error: any Error, attempt: Int, time: Int64, random: Double) -> Duration? {
        guard attempt < maximumAttempts, !(error is CancellationError) else { return nil }
        if let response = (error as? DataLoadingError)?.response {
            guard statusCodes.contains(response.statusCode) else { return nil }
            if let asked = RetryAfter.seconds(response.headers, now: time) {
                // Exceeds every sensible maximum, and would overflow.
                guard asked < 1 << 40, .seconds(asked) <= maximumRetryAfter else { return nil }
                return .seconds(asked)
            }
        } else {
            guard isRetryable(error) else { return nil }
        }
        let doublings = Double(1 << min(attempt - 1, 40))
        return min(max(baseDelay, .zero) * doublings, max(maximumDelay, .zero)) * min(max(random, 0), 1)
    }
}
