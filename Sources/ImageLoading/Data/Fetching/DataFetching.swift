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
