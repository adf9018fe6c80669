internal import Platform

/// Prevents a tile from being rewritten while it is read.
///
/// A fixed number of locks serves all tiles. Any number of threads may read at once, and each may read a second tile
/// within the first.
///
/// Unchecked: the locks' memory belongs to self, is fixed, and is accessed only by the system's functions.
final class TileLocks: @unchecked Sendable {
    private static let count = 64
    private let locks = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: TileLocks.count)

    init() {
        for index in 0..<Self.count {
            (locks + index).initialize(to: pthread_rwlock_t())
            pthread_rwlock_init(locks + index, nil)
        }
    }

    deinit {
        for index in 0..<Self.count { pthread_rwlock_destroy(locks + index) }
        locks.deallocate()
    }

    func lookingAt<R: ~Copyable, E: Error>(_ slot: Int, _ body: () throws(E) -> R) throws(E) -> R {
        let lock = locks + slot % Self.count
        pthread_rwlock_rdlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }

    func writing<R, E: Error>(_ slot: Int, _ body: () throws(E) -> R) throws(E) -> R {
        let lock = locks + slot % Self.count
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }
}
