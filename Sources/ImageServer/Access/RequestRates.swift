internal import Platform
internal import Synchronization

/// Limits how often a client may send requests: an average rate, and bursts above it.
package final class RequestRates: Sendable {
    private struct State {
        /// When each client's requests so far are paid for, in seconds of the monotonic clock.
        var paid: [[UInt8]: Double] = [:]
        var refusedCount = 0
    }

    /// Requests per second.
    private let rate: Double
    /// The seconds by which a client may be ahead of the rate.
    private let burst = 10.0
    private let state = Mutex(State())
    /// The most clients that are remembered. Beyond that all are forgotten, since sorting them out would be work that a
    /// flood of addresses could ask for.
    private static let clientLimit = 65_536

    package init(rate: Double) { self.rate = rate }

    /// The number of refused requests.
    package var refusedCount: Int { state.withLock { $0.refusedCount } }

    /// Counts a request.
    /// - Parameters:
    ///   - client: The client's address. An IPv6 client is its network of 64 bits.
    ///   - now: In seconds of a monotonic clock.
    /// - Throws: 429 if the client is too far ahead of the rate.
    package func check(_ client: String, now: Double) throws(RequestFailure) {
        let key = Self.key(client)
        // Fewer than one request in ten seconds: one at a time.
        let ahead = max(burst, 1 / rate)
        let wait = state.withLock { state -> Double in
            let paid = max(state.paid[key] ?? now, now) + 1 / rate
            guard paid - now <= ahead + 1e-9 else {
                state.refusedCount += 1
                return paid - now - ahead
            }
            if state.paid.count >= Self.clientLimit, state.paid[key] == nil { state.paid.removeAll() }
            state.paid[key] = paid
            return 0
        }
        guard wait > 0 else { return }
        let seconds = Int(wait.rounded(.up))
        throw RequestFailure(
            429, "too many requests from this address; try again in \(seconds) s", retryAfter: seconds)
    }

    private static func key(_ client: String) -> [UInt8] {
        guard let address = NetworkAddress(client) else { return Array(client.utf8) }
        guard address.isVersion6 else { return address.bytes }
        // ::ffff:a.b.c.d is the IPv4 address.
        let isMapped = address.bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return Array(isMapped ? address.bytes.suffix(4) : address.bytes.prefix(8))
    }
}
