/// What an image cache holds, in a ring with a hand that goes round it: CLOCK, or "second chance" (Corbató, 1969).
///
/// A read marks an entry and moves nothing. Where room is needed the hand moves on, takes the mark from those that have
/// one, and takes out the first that has none. Entries come in behind the hand: it reaches them last.
///
/// What is taken out is handed to the caller, to be let go outside of locks.
struct ImageCacheRing {
    final class Entry: Sendable {
        let container: ImageContainer
        let cost: Int
        /// When it stops being good; nil for never.
        let expiration: ContinuousClock.Instant?

        init(_ container: ImageContainer, cost: Int, expiration: ContinuousClock.Instant?) {
            self.container = container
            self.cost = cost
            self.expiration = expiration
        }

        func isExpired(at time: ContinuousClock.Instant) -> Bool { expiration.map { $0 <= time } ?? false }
    }

    private struct Slot {
        /// Nil in a slot that is free.
        var key: ImageCacheKey?
        var entry: Entry?
        var isMarked = false
        var next = 0
        var previous = 0
        /// The others of the same group, -1 at the ends.
        var nextInGroup = -1
        var previousInGroup = -1
    }

    private var slots: [Slot] = []
    private var free: [Int] = []
    private var indices: [ImageCacheKey: Int] = [:]
    /// The first slot of each group.
    private var groups: [String: Int] = [:]
    /// The slot to be looked at next.
    private var hand = 0

    private(set) var cost = 0
    var count: Int { indices.count }

    /// The entry under `key`, which gets its mark.
    mutating func entry(for key: ImageCacheKey) -> Entry? {
        guard let index = indices[key] else { return nil }
        slots[index].isMarked = true
        return slots[index].entry
    }

    /// The keys in `group` whose entries are still good at `time`.
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

    /// Takes in `entry`. There is none under `key`.
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

    /// Takes out what is under `key`; with `entry`, only if it is that one.
    mutating func remove(_ key: ImageCacheKey, if entry: Entry? = nil) -> Entry? {
        guard let index = indices[key], entry == nil || slots[index].entry === entry else { return nil }
        return removeSlot(index)
    }

    /// Takes out the entry that has waited longest since it was read or came in, about; one that has expired by `time`
    /// at once.
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
