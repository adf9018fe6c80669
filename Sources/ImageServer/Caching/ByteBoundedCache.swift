internal import Synchronization

/// Values by their keys, as many as their costs allow; those go first that were used longest ago.
package final class ByteBoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    fileprivate struct Slot {
        var key: Key
        var value: Value
        var cost: Int
        var newer: Int
        var older: Int
    }

    fileprivate struct State {
        /// A slot that isn't used is nil, and its place in `free`.
        var slots: [Slot?] = []
        var free: [Int] = []
        var indices: [Key: Int] = [:]
        var newest = -1
        var oldest = -1
        var cost = 0
    }

    private let state = Mutex(State())
    /// What the values may cost together.
    package let costLimit: Int
    /// How many there may be.
    package let countLimit: Int

    package init(costLimit: Int, countLimit: Int = .max) {
        self.costLimit = costLimit
        self.countLimit = countLimit
    }

    /// What the values cost together, and how many there are.
    package var totals: (cost: Int, count: Int) { state.withLock { ($0.cost, $0.indices.count) } }

    /// The value under `key`, which becomes the last to go.
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

    /// Keeps `value` under `key` in place of what is there. One that costs more than all may is not kept.
    package func insert(_ value: Value, for key: Key, cost: Int) {
        // What goes is let go without the lock.
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

    /// Lets go of what is under `key`.
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
