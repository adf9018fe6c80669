import Synchronization

/// A sign between tasks.
final class Flag: Sendable {
    private let isSet = Atomic(false)

    var value: Bool { isSet.load(ordering: .sequentiallyConsistent) }

    func set() { isSet.store(true, ordering: .sequentiallyConsistent) }
}
