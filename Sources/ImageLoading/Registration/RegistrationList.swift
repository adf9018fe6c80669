internal import Synchronization

/// A list of registrations, the newest first. No registered code is called or released under its lock.
final class RegistrationList<Element: Sendable>: Sendable {
    private struct Entry: Sendable {
        let token: RegistrationToken
        let element: Element
    }

    private let entries = Mutex<[Entry]>([])

    /// The current registrations, the newest first.
    var elements: [Element] { entries.withLock { $0 }.map(\.element) }

    var tokens: [RegistrationToken] { entries.withLock { $0 }.map(\.token) }

    /// Registers `element`, with precedence over earlier ones.
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

/// Identifies a registration, to remove it. Unique within the process.
public struct RegistrationToken: Hashable, Sendable {
    private static let count = Atomic<UInt64>(0)
    private let number: UInt64

    init() { number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue }
}
