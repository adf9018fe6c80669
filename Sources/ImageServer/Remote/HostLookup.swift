#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Dispatch
internal import Synchronization

/// Finds the addresses of a host by the system's resolver.
enum HostLookup {
    /// The addresses that `host` stands for, the one to try first at first; none where there are none, or where the task was
    /// cancelled meanwhile.
    static func addresses(of host: String) async -> [NetworkAddress] {
        if let address = NetworkAddress(host) { return [address] }
        let answer = Answer()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.wait(continuation)
                // The system's call waits for as long as the network lets it.
                DispatchQueue.global().async { answer.give(ask(host)) }
            }
        } onCancel: {
            answer.give([])
        }
    }

    private static func ask(_ host: String) -> [NetworkAddress] {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        // No addresses of a kind that can't be reached from here.
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [NetworkAddress] = []
        var next = list
        while let entry = next {
            // The list is the system's until it's freed.
            if let address = entry.pointee.ai_addr.flatMap({ NetworkAddress($0) }), !found.contains(address) {
                found.append(address)
            }
            next = entry.pointee.ai_next
        }
        return found
    }

    /// What one waits for, and is given once.
    private final class Answer: Sendable {
        private struct State {
            var waiting: CheckedContinuation<[NetworkAddress], Never>?
            var given: [NetworkAddress]?
        }

        private let state = Mutex(State())

        func wait(_ continuation: CheckedContinuation<[NetworkAddress], Never>) {
            let given: [NetworkAddress]? = state.withLock { state in
                if state.given == nil { state.waiting = continuation }
                return state.given
            }
            if let given { continuation.resume(returning: given) }
        }

        func give(_ addresses: [NetworkAddress]) {
            let waiting: CheckedContinuation<[NetworkAddress], Never>? = state.withLock { state in
                guard state.given == nil else { return nil }
                state.given = addresses
                return state.waiting.take()
            }
            waiting?.resume(returning: addresses)
        }
    }
}
