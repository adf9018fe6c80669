/// How bytes are fetched beyond asking for them once: what is done when a server is busy, a transfer breaks off, or a
/// request has to be authorised.
///
/// Applies to whatever has a loader, except to `file` and `data` URLs, of which it is only the size limit.
public struct DataFetching: Sendable {
    /// Which failures are tried again, how often and when.
    public var retry: RetryPolicy
    /// How many requests are sent in a given time; nil for as many as there are.
    public var rateLimiter: RateLimiter?
    /// Where the beginnings of transfers that broke off wait to be continued; nil to begin again each time.
    public var resumableData: ResumableDataStore?
    /// Bytes in one download, at most; nil for no limit.
    public var maximumByteCount: Int?
    /// Adds to each request what the server wants to know of whoever asks; called before each request is sent, and once
    /// more when the server turns it down (401). Always gets the request as it was before it was authorised.
    public var authorize: (@Sendable (inout DataRequest, DataAuthorization) async throws -> Void)?

    /// Three attempts, 80 requests a second after a burst of 25, resuming, and at most 1 GiB, which is what decoders take
    /// unless told otherwise.
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

/// What a hook that authorises requests can know beside the request.
public struct DataAuthorization: Sendable {
    /// The response by which the server turned the request down (401); nil the first time.
    public var rejection: DataResponse?

    /// The circumstances of these facts.
    public init(rejection: DataResponse? = nil) { self.rejection = rejection }
}

/// Which failures of a download are tried again, how often and when.
///
/// Nothing is remembered from one download to the next: what failed today is asked for again tomorrow.
public struct RetryPolicy: Sendable {
    /// How often a request is sent in all.
    public var maximumAttempts: Int
    /// The time of which the first pause is a random part; it doubles with every attempt.
    public var baseDelay: Duration
    /// What doubling stops at.
    public var maximumDelay: Duration
    /// The longest pause asked for by a server (`Retry-After`) that is waited for; one that asks for more isn't asked again.
    public var maximumRetryAfter: Duration
    /// The statuses that are tried again.
    public var statusCodes: Set<Int>
    /// Whether a failure other than a status is tried again.
    public var isRetryable: @Sendable (any Error) -> Bool

    /// Three attempts, after up to half a second and up to a second; busy and failing servers, and lost connections.
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

    /// One attempt.
    public static let never = RetryPolicy(maximumAttempts: 1)

    /// Whether `error` is a lost, broken or missing connection, or a transfer that ended early.
    public static let isTransient: @Sendable (any Error) -> Bool = { error in
        switch error as? DataLoadingError {
        case .transport(let failure): failure.isTransient
        case .truncated: true
        default: false
        }
    }
}

extension RetryPolicy {
    /// The pause before the next attempt; nil where there is none.
    /// - Parameters:
    ///   - attempt: How many have failed, from 1.
    ///   - time: Seconds since 1970, to reckon from what a server says.
    ///   - random: A number from 0 up to 1, exclusive: which part of the time is waited ("full jitter").
    package func delay(after error: any Error, attempt: Int, time: Int64, random: Double) -> Duration? {
        guard attempt < maximumAttempts, !(error is CancellationError) else { return nil }
        if let response = (error as? DataLoadingError)?.response {
            guard statusCodes.contains(response.statusCode) else { return nil }
            if let asked = RetryAfter.seconds(response.headers, now: time) {
                // Anything this long is over every sensible maximum, and mustn't overflow.
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
