#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What was given to a cache and isn't on disk yet.
struct PendingStores {
    /// What tells a store from earlier and later ones under the same key.
    typealias Number = UInt64

    private var stores: [DataCacheKey: (number: Number, entry: DataCacheEntry)] = [:]
    private var lastNumber: Number = 0
    /// What they take of memory.
    private(set) var cost = 0

    /// Takes an entry in place of the one under its key.
    /// - Returns: Its number, and what was there, to be let go where nobody waits.
    mutating func insert(_ entry: DataCacheEntry, _ key: DataCacheKey) -> (number: Number, old: DataCacheEntry?) {
        lastNumber += 1
        cost += Self.cost(entry)
        let old = stores.updateValue((lastNumber, entry), forKey: key)
        if let old { cost -= Self.cost(old.entry) }
        return (lastNumber, old?.entry)
    }

    /// The entry under `key`.
    func entry(_ key: DataCacheKey) -> DataCacheEntry? { stores[key]?.entry }

    /// The entry under `key` if it is still the one of that number.
    func entry(_ key: DataCacheKey, _ number: Number) -> DataCacheEntry? {
        stores[key].flatMap { $0.number == number ? $0.entry : nil }
    }

    /// Removes the entry under `key`.
    /// - Parameter number: The number that it must still have; nil for whatever it has.
    /// - Returns: It, to be let go where nobody waits.
    @discardableResult
    mutating func remove(_ key: DataCacheKey, _ number: Number? = nil) -> DataCacheEntry? {
        guard let store = stores[key], number == nil || store.number == number else { return nil }
        stores[key] = nil
        cost -= Self.cost(store.entry)
        return store.entry
    }

    /// Removes the entries of `group`; nil stands for all groups.
    /// - Returns: Them, to be let go where nobody waits.
    mutating func removeAll(in group: String?) -> [DataCacheEntry] {
        stores.keys.filter { group == nil || $0.group == group }.compactMap { remove($0) }
    }

    /// As on disk, so that small ones aren't taken for nothing.
    private static func cost(_ entry: DataCacheEntry) -> Int { DataCacheFileStatus.cost(max(1, entry.data.count)) }
}
