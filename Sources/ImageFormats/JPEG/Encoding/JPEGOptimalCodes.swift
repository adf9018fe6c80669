/// The Huffman codes that are shortest for a scan's symbols, of at most 16 bits (ITU-T T.81, annexes C and K.2).
package struct JPEGOptimalCodes {
    /// The number of codes of each length from 1 bit to 16.
    package let lengthCounts: [UInt8]
    /// The symbols by ascending code.
    package let symbols: [UInt8]

    /// - Parameter counts: How often each of 256 symbols occurs.
    package init(counts: [UInt32]) {
        let lengths = Self.lengths(counts)
        var lengthCounts = [Int](repeating: 0, count: max(17, 1 + (lengths.max() ?? 0)))
        for length in lengths where length > 0 { lengthCounts[length] += 1 }
        Self.shorten(&lengthCounts)
        // The last code is that of the symbol that doesn't occur.
        if let longest = lengthCounts.lastIndex(where: { $0 > 0 }) { lengthCounts[longest] -= 1 }
        self.lengthCounts = lengthCounts[1...16].map { UInt8($0) }
        let used = (0..<256).filter { lengths[$0] > 0 }
        symbols = used.sorted { (lengths[$0], $0) < (lengths[$1], $1) }.map { UInt8($0) }
    }

    /// The lengths of the symbols' codes by Huffman's method, and of a rarest one's that doesn't occur, so that no symbol's
    /// code is all ones.
    private static func lengths(_ counts: [UInt32]) -> [Int] {
        var weights = counts.map { UInt64($0) } + [1]
        // Even a scan without symbols has a table.
        if weights.dropLast().allSatisfy({ $0 == 0 }) { weights[0] = 1 }
        var lengths = [Int](repeating: 0, count: weights.count)
        // Each root is the symbol of a subtree that comes last.
        var members = weights.indices.map { [$0] }
        var roots = weights.indices.filter { weights[$0] > 0 }
        func takeRarest() -> Int {
            // Of equals the last, so that the symbol that doesn't occur has a longest code.
            let place = roots.indices.min { (weights[roots[$0]], roots[$1]) < (weights[roots[$1]], roots[$0]) }!
            return roots.remove(at: place)
        }
        while roots.count > 1 {
            let (first, second) = (takeRarest(), takeRarest())
            let (root, other) = (max(first, second), min(first, second))
            members[root] += members[other]
            weights[root] += weights[other]
            for symbol in members[root] { lengths[symbol] += 1 }
            roots.append(root)
        }
        return lengths
    }

    /// Makes codes of more than 16 bits shorter, and as few others as that takes longer (T.81, figure K.3).
    private static func shorten(_ lengthCounts: inout [Int]) {
        for length in (17..<max(17, lengthCounts.count)).reversed() {
            while lengthCounts[length] > 0 {
                let shorter = lengthCounts[..<(length - 1)].lastIndex { $0 > 0 }!
                // Two siblings give way: one takes their parent's place, the other goes beside a shorter code made longer.
                lengthCounts[length] -= 2
                lengthCounts[length - 1] += 1
                lengthCounts[shorter + 1] += 2
                lengthCounts[shorter] -= 1
            }
        }
    }

    /// The code of each of 256 symbols, and its number of bits from bit 16 on; 0 for those without.
    var entries: [UInt32] {
        var entries = [UInt32](repeating: 0, count: 256)
        var (code, place) = (UInt32(0), 0)
        for (index, count) in lengthCounts.enumerated() {
            code <<= 1
            for _ in 0..<count {
                entries[Int(symbols[place])] = UInt32(index + 1) << 16 | code
                code += 1
                place += 1
            }
        }
        return entries
    }
}
