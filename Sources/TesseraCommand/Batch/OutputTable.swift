/// The inputs of a list by the hashes of their outputs.
///
/// Every shard makes it for the whole list, however few inputs are its own. The keys are hashes already, so it costs less
/// than a dictionary, which would hash them again. Random factors determine their places, so that no list can choose them.
struct OutputTable {
    /// A hash, and the number of its input, counted from 1; 0 for none.
    private struct Entry {
        var hash = NameHash()
        var number = 0
    }

    private var entries: [Entry]
    private var count = 0
    private let factors: (UInt64, UInt64)

    /// - Parameter minimumCapacity: The number of outputs for which there is room from the start.
    init(minimumCapacity: Int) {
        var size = 16
        while size < 2 * minimumCapacity { size *= 2 }
        entries = Array(repeating: Entry(), count: size)
        factors = (.random(in: 0 ... .max) | 1, .random(in: 0 ... .max) | 1)
    }

    /// Adds an output and the index of its input.
    /// - Returns: The index of the first input with the same output; nil if it has none.
    mutating func insert(_ hash: NameHash, _ index: Int) -> Int? {
        if 2 * (count + 1) > entries.count { grow() }
        let place = place(of: hash)
        guard entries[place].number == 0 else { return entries[place].number - 1 }
        entries[place] = Entry(hash: hash, number: index + 1)
        count += 1
        return nil
    }

    /// The hash's entry, or the free one for it. There are always free entries.
    private func place(of hash: NameHash) -> Int {
        let mixed = hash.first &* factors.0 &+ hash.second &* factors.1
        // The high bits of a product depend on all bits of its factors.
        var place = Int(truncatingIfNeeded: mixed >> UInt64(64 - entries.count.trailingZeroBitCount))
        while entries[place].number != 0, entries[place].hash != hash { place = (place + 1) & (entries.count - 1) }
        return place
    }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: Entry(), count: 2 * old.count)
        for entry in old where entry.number != 0 { entries[place(of: entry.hash)] = entry }
    }
}
