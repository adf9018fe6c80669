/// Builds length-limited prefix codes for one alphabet, and holds the last one built.
///
/// Code words are stored bit-reversed, ready for `DeflateBitWriter`. The storage is allocated once and reused for every
/// block.
struct HuffmanCode: ~Copyable {
    let symbolCount: Int
    let lengths: UnsafeMutablePointer<UInt8>
    let words: UnsafeMutablePointer<UInt16>
    private let maximumLength: Int
    // The used symbols by rising frequency, and the working array of the code's construction.
    private let sorted: UnsafeMutablePointer<UInt32>
    private let weights: UnsafeMutablePointer<UInt32>

    init(symbolCount: Int, maximumLength: Int) {
        self.symbolCount = symbolCount
        self.maximumLength = maximumLength
        lengths = .allocate(capacity: symbolCount)
        lengths.initialize(repeating: 0, count: symbolCount)
        words = .allocate(capacity: symbolCount)
        words.initialize(repeating: 0, count: symbolCount)
        sorted = .allocate(capacity: symbolCount)
        sorted.initialize(repeating: 0, count: symbolCount)
        weights = .allocate(capacity: symbolCount)
        weights.initialize(repeating: 0, count: symbolCount)
    }

    deinit {
        lengths.deallocate()
        words.deallocate()
        sorted.deallocate()
        weights.deallocate()
    }

    /// Builds the code for the given frequencies, one for each symbol.
    ///
    /// At least two symbols get a code word, so that the code is complete and every decoder accepts it.
    mutating func build(_ frequencies: UnsafeMutablePointer<UInt32>) {
        var used = 0
        for symbol in 0..<symbolCount where frequencies[symbol] > 0 { used += 1 }
        var candidate = 0
        while used < 2 {
            if frequencies[candidate] == 0 {
                frequencies[candidate] = 1
                used += 1
            }
            candidate += 1
        }
        sort(frequencies, used: used)
        var histogram = (0..<16).map { _ in 0 }
        lengthsOfMinimumRedundancy(used: used, histogram: &histogram)
        limit(&histogram)
        assign(used: used, histogram: histogram)
    }

    private func sort(_ frequencies: UnsafeMutablePointer<UInt32>, used: Int) {
        // Clamped frequencies have 22 bits and symbols 9, so one word holds both and sorts by frequency.
        var keys = UnsafeMutableBufferPointer(start: sorted, count: used)
        var next = 0
        for symbol in 0..<symbolCount where frequencies[symbol] > 0 {
            keys[next] = min(frequencies[symbol], 0x3F_FFFF) << 9 | UInt32(symbol)
            next += 1
        }
        keys.sort()
        for index in 0..<used { weights[index] = keys[index] >> 9 }
    }

    /// Computes code lengths by Moffat and Katajainen, "In-place calculation of minimum-redundancy codes" (1995): the
    /// weights become parents, then depths, in one array.
    private func lengthsOfMinimumRedundancy(used: Int, histogram: inout [Int]) {
        let a = weights
        var leaf = 0
        var root = 0
        for next in 0..<(used - 1) {
            var sum: UInt32 = 0
            for _ in 0..<2 {
                if leaf >= used || (root < next && a[root] < a[leaf]) {
                    sum += a[root]
                    a[root] = UInt32(next)
                    root += 1
                } else {
                    sum += a[leaf]
                    leaf += 1
                }
            }
            a[next] = sum
        }
        // Parents to depths of the inner nodes, from the root down.
        a[used - 2] = 0
        var node = used - 3
        while node >= 0 {
            a[node] = a[Int(a[node])] + 1
            node -= 1
        }
        // Count the leaves at each depth.
        var available = 1
        var inner = used - 2
        var depth = 0
        while available > 0 {
            var innerHere = 0
            while inner >= 0, Int(a[inner]) == depth {
                innerHere += 1
                inner -= 1
            }
            histogram[min(depth, 15)] += available - innerHere
            available = 2 * innerHere
            depth += 1
        }
    }

    /// Moves leaves that are too deep up to the maximum length, and lengthens shorter words until the code is complete.
    private func limit(_ histogram: inout [Int]) {
        for length in stride(from: maximumLength + 1, through: 15, by: 1) {
            histogram[maximumLength] += histogram[length]
            histogram[length] = 0
        }
        // In units of the longest word, a complete code uses exactly 1 << maximumLength.
        var excess = -(1 << maximumLength)
        for length in 1...maximumLength { excess += histogram[length] << (maximumLength - length) }
        while excess > 0 {
            var length = maximumLength - 1
            while histogram[length] == 0 { length -= 1 }
            // One leaf moves a level down and takes a longest leaf as its sibling.
            histogram[length] -= 1
            histogram[length + 1] += 2
            histogram[maximumLength] -= 1
            excess -= 1
        }
    }

    private func assign(used: Int, histogram: [Int]) {
        lengths.update(repeating: 0, count: symbolCount)
        var index = 0
        for length in stride(from: maximumLength, through: 1, by: -1) {
            for _ in 0..<histogram[length] {
                lengths[Int(sorted[index] & 0x1FF)] = UInt8(length)
                index += 1
            }
        }
        var next = (0..<17).map { _ in UInt16(0) }
        var word: UInt16 = 0
        for length in 1...maximumLength {
            next[length] = word
            word = (word &+ UInt16(truncatingIfNeeded: histogram[length])) &<< 1
        }
        for symbol in 0..<symbolCount where lengths[symbol] > 0 {
            let length = Int(lengths[symbol])
            words[symbol] = reversed(next[length]) >> UInt16(16 - length)
            next[length] &+= 1
        }
    }

    private func reversed(_ value: UInt16) -> UInt16 {
        var v = value
        v = (v & 0x5555) << 1 | (v >> 1) & 0x5555
        v = (v & 0x3333) << 2 | (v >> 2) & 0x3333
        v = (v & 0x0F0F) << 4 | (v >> 4) & 0x0F0F
        return v.byteSwapped
    }
}
