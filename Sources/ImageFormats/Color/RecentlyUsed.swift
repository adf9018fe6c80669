/// The few values that were used last, found by their keys.
///
/// Looking one up compares with each key there is: for a handful of values.
package struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var entries: [(key: Key, value: Value)] = []
    private let limit: Int

    /// Keeps at most `limit` values.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The value for `key`, which counts as used now.
    package mutating func find(_ key: Key) -> Value? {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.value
    }

    /// Keeps `value`, in place of one with the same key, or else of the one that wasn't used for the longest time.
    package mutating func insert(_ value: Value, for key: Key) {
        entries.removeAll { $0.key == key }
        if entries.count == limit { entries.removeFirst() }
        entries.append((key, value))
    }
}
