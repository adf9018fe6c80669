internal import Synchronization

/// The answers of the operator's authorization service for one request.
package final class Admission: Sendable {
    private struct State {
        /// When the first of the answers ends, in seconds since 1970; nil if the service wasn't asked.
        var end: Int64?
        var challenge: String?
    }

    private let state = Mutex(State())

    package init() {}

    /// When the first of the answers ends, in seconds since 1970; nil if the service wasn't asked.
    var end: Int64? { state.withLock { $0.end } }

    /// The service's `WWW-Authenticate`.
    var challenge: String? { state.withLock { $0.challenge } }

    /// Adds an answer.
    func note(end: Int64, challenge: String?) {
        state.withLock { state in
            state.end = min(end, state.end ?? end)
            state.challenge = challenge ?? state.challenge
        }
    }
}

extension ServiceResponse {
    /// Restricts caching to the client and to the time of the service's answer.
    mutating func limit(to admission: Admission, by service: AuthorizationService, now: Int64) {
        guard let end = admission.end else { return }
        // Don't send it again by its address alone.
        source = nil
        if let index = fields.firstIndex(where: { $0.name == "Cache-Control" }), fields[index].value != "no-store" {
            let age = fields[index].value.split(separator: "=").last.flatMap { Int64($0) } ?? 0
            let seconds = min(age, end - now)
            fields[index].value = seconds > 0 ? "private, max-age=\(seconds)" : "private, no-cache"
        }
        for field in service.forwardedFields { addVary(field) }
    }
}
