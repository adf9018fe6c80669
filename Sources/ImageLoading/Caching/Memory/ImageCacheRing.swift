/// The entries of an image cache, in a ring for CLOCK or "second chance" eviction (Corbató, 1969).
///
/// A read marks an entry and moves nothing. To evict, the hand advances, clearing marks, until it finds an unmarked
/// entry, which is removed. New entries are inserted behind the hand, which reaches them last.
///
/// Removed entries are returned to the caller, which releases them outside its lock.
struct ImageCacheRing {
    final class Entry: Sendable {
        let container: ImageContainer
        let cost: Int
        /// When the entry expires; nil for never.
        let expiration: ContinuousClock.Instant?

        init(_ container: ImageContainer, cost: Int, expiration: ContinuousClock.Instant?) {
            self.container = container
            self.cost = cost
            self.expiration = expiration
        }

        func isExpired(at time: ContinuousClock.Instant) -> Bool { expiration.map { $0 <= time } ?? false }
    }

    private struct Slot {
        /// Nil in a free slot.
        var key: ImageCacheKey?
        var entry: Entry?
        var isMarked = false
        var next = 0
        var previous = 0
        /// The neighbours in the list of the same group, -1 at the ends.
        var nextInGroup = -1
        var previousInGroup = -1
    }

    private var slots: [Slot] = []
    private var free: [Int] = []
    private var indices: [ImageCacheKey: Int] = [:]
    /// The index of the first slot of each group.
    private var groups: [String: Int] = [:]
    /// The slot to examine next.
    private var hand = 0

    private(set) var cost = 0
    var count: Int { indices.count }

    /// The entry under `key`, which becomes marked.
    mutating func entry(for key: ImageCacheKey) -> Entry? {
        guard let index = indices[key] else { return nil }
        slots[index].isMarked = true
        return slots[index].entry
    }

    /// The keys in `group` whose entries haven't expired by `time`.
    func keys(in group: String, at time: ContinuousClock.Instant) -> [ImageCacheKey] {
        var keys: [ImageCacheKey] = []
        var index = groups[group] ?? -1
        while index >= 0 {
            let slot = slots[index]
            if let key = slot.key, slot.entry?.isExpired(at: time) == false { keys.append(key) }
            index = slot.nextInGroup
        }
        return keys
    }

    /// Inserts `entry`; there must be none under `key`.
    mutating func insert(_ entry: Entry, for key: ImageCacheKey) {
        let index: Int
        if let last = free.popLast() {
            index = last
        } else {
            index = slots.count
            slots.append(Slot())
        }
        var slot = Slot(key: key, entry: entry)
        if indices.isEmpty {
            (slot.next, slot.previous, hand) = (index, index, index)
        } else {
            (slot.next, slot.previous) = (hand, slots[hand].previous)
            slots[slot.previous].next = index
            slots[hand].previous = index
        }
        if let first = groups.updateValue(index, forKey: key.group) {
            slot.nextInGroup = first
            slots[first].previousInGroup = index
        }
        slots[index] = slot
        indices[key] = index
        cost += entry.cost
    }

    /// Removes the entry under `key`; with `entry`, only if it is that one.
    mutating func remove(_ key: ImageCacheKey, if entry: Entry? = nil) -> Entry? {
        guard let index = indices[key], entry == nil || slots[index].entry === entry else { return nil }
        return removeSlot(index)
    }

    /// Removes the first entry from the hand on that is unmarked or has expired by `time`, approximately the least
    /// recently used one.
    mutating func evict(at time: ContinuousClock.Instant) -> Entry? {
        guard !indices.isEmpty else { return nil }
        while slots[hand].isMarked, slots[hand].entry?.isExpired(at: time) == false {
            slots[hand].isMarked = false
            hand = slots[hand].next
        }
        return removeSlot(hand)
    }

    private mutating func removeSlot(_ index: Int) -> Entry? {
        let slot = slots[index]
        guard let key = slot.key, let entry = slot.entry else { return nil }
        indices[key] = nil
        slots[slot.previous].next = slot.next
        slots[slot.next].previous = slot.previous
        if hand == index { hand = slot.next }
        if slot.nextInGroup >= 0 { slots[slot.nextInGroup].previousInGroup = slot.previousInGroup }
        if slot.previousInGroup >= 0 {
            slots[slot.previousInGroup].nextInGroup = slot.nextInGroup
        } else {
            groups[key.group] = slot.nextInGroup >= 0 ? slot.nextInGroup : nil
        }
        slots[index] = Slot()
        free.append(index)
        cost -= entry.cost
        return entry
    }
}
