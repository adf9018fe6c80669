/// Until when cached bytes are good without asking their server (RFC 9111, section 4.2).
public struct CacheFreshness: Hashable, Sendable {
    /// When the server last said that this is the current version, in seconds since 1970.
    public var validatedAt: Int64
    /// For how many seconds it is good from then on.
    public var lifetime: Int64

    /// Freshness of these facts.
    public init(validatedAt: Int64, lifetime: Int64) {
        self.validatedAt = validatedAt
        self.lifetime = lifetime
    }

    /// Whether the bytes are still good at `time`, in seconds since 1970.
    public func isFresh(at time: Int64) -> Bool {
        let age = time.subtractingReportingOverflow(validatedAt)
        return !age.overflow && age.partialValue >= 0 && age.partialValue < lifetime
    }
}
