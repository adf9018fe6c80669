internal import Synchronization

/// What a registration can be taken back by. No two registrations of a process have the same.
public struct RegistrationToken: Hashable, Sendable {
    private static let count = Atomic<UInt64>(0)
    private let number: UInt64

    init() { number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue }
}
