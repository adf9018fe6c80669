internal import Synchronization

/// What programs registered, the newest first. Nothing of theirs is called or let go under the lock.
final class RegistrationList<Element: Sendable>: Sendable {
    private struct Entry: Sendable {
        let token: RegistrationToken
        let element: Element
    }

    private let entries = Mutex<[Entry]>([])

    /// What is registered at this moment, the newest first.
    var elements: [Element] { entries.withLock { $0 }.map(\.element) }

    var tokens: [RegistrationToken] { entries.withLock { $0 }.map(\.token) }

    /// Puts `element` first.
    func add(_ element: Element) -> RegistrationToken {
        let token = RegistrationToken()
        entries.withLock { $0.insert(Entry(token: token, element: element), at: 0) }
        return token
    }

    func remove(_ token: RegistrationToken) {
        _ = entries.withLock { entries in entries.firstIndex { $0.token == token }.map { entries.remove(at: $0) } }
    }

    func removeAll() {
        var old: [Entry] = []
        entries.withLock { swap(&$0, &old) }
    }
}

/// What a registration can be taken back by. No two registrations of a process have the same.
public struct RegistrationToken: Hashable, Sendable {
    private static let count = Atomic<UInt64>(0)
    private let number: UInt64

    init() { number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue }
}
