internal import Synchronization

/// A least-recently-used cache that is bounded by the total cost and the number of its values.
package final class ByteBoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    fileprivate struct Slot {
        var key: Key
        var value: Value
        var cost: Int
        var newer: Int
        var older: Int
    }

    fileprivate struct State {
        /// Unused slots are nil and listed in `free`.
        var slots: [Slot?] = []
        var free: [Int] = []
        var indices: [Key: Int] = [:]
        var newest = -1
        var oldest = -1
        var cost = 0
    }

    private let state = Mutex(State())
    /// The most total cost.
    package let costLimit: Int
    /// The most values.
    package let countLimit: Int

    package init(costLimit: Int, countLimit: Int = .max) {
        self.costLimit = costLimit
        self.countLimit = countLimit
    }

    /// The total cost and the number of values.
    package var totals: (cost: Int, count: Int) { state.withLock { ($0.cost, $0.indices.count) } }

    /// The value for `key`, which becomes the most recently used.
    package func value(for key: Key) -> Value? {
        state.withLock { state in
            guard let index = state.indices[key] else { return nil }
            if state.newest != index {
                state.unlink(index)
                state.linkAsNewest(index)
            }
            return state.slots[index]?.value
        }
    }

    /// Inserts or replaces the value for `key`. A value above the total cost limit isn't kept.
    package func insert(_ value: Value, for key: Key, cost: Int) {
        // Removed values are deallocated outside the lock.
        let removed: [Value] = state.withLock { state in
            var removed: [Value] = []
            if let index = state.indices[key] { removed.append(state.remove(index)) }
            guard cost <= costLimit else { return removed }
            while state.oldest >= 0, state.cost + cost > costLimit || state.indices.count >= countLimit {
                removed.append(state.remove(state.oldest))
            }
            state.insert(Slot(key: key, value: value, cost: cost, newer: -1, older: -1))
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    /// Removes the values whose keys match.
    /// - Returns: How many there were.
    /// - Complexity: O(*n*) in the number of values, under the cache's lock.
    @discardableResult
    package func removeAll(where matches: (Key) -> Bool) -> Int {
        let removed: [Value] = state.withLock { state in
            let indices = state.indices.filter { matches($0.key) }.values
            return indices.map { state.remove($0) }
        }
        return removed.count
    }

    /// Removes the value for `key`.
    package func remove(_ key: Key) {
        let removed: Value? = state.withLock { state in
            guard let index = state.indices[key] else { return nil }
            return state.remove(index)
        }
        withExtendedLifetime(removed) {}
    }
}

extension ByteBoundedCache.State {
    fileprivate mutating func insert(_ slot: ByteBoundedCache.Slot) {
        let index: Int
        if let last = free.popLast() {
            index = last
            slots[index] = slot
        } else {
            index = slots.count
            slots.append(slot)
        }
        indices[slot.key] = index
        cost += slot.cost
        linkAsNewest(index)
    }

    fileprivate mutating func remove(_ index: Int) -> Value {
        unlink(index)
        guard let slot = slots[index].take() else { preconditionFailure("a slot of a key is in use") }
        free.append(index)
        indices[slot.key] = nil
        cost -= slot.cost
        return slot.value
    }

    fileprivate mutating func unlink(_ index: Int) {
        guard let slot = slots[index] else { return }
        if slot.newer >= 0 { slots[slot.newer]?.older = slot.older } else { newest = slot.older }
        if slot.older >= 0 { slots[slot.older]?.newer = slot.newer } else { oldest = slot.newer }
    }

    fileprivate mutating func linkAsNewest(_ index: Int) {
        slots[index]?.newer = -1
        slots[index]?.older = newest
        if newest >= 0 { slots[newest]?.newer = index } else { oldest = index }
        newest = index
    }
}
