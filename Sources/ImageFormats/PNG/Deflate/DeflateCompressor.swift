/// The effort that a deflate compressor makes to find matches.
package struct DeflateEffort {
    /// The number of earlier positions compared at each position; 0 compares only the last with the same six bytes.
    var depth: Int
    /// The length at which a match is taken without searching further.
    var niceLength: Int
    /// Whether to look for a better match at the next position before taking one.
    var isLazy: Bool
    /// Whether bytes are stored without compression.
    var isStored = false

    /// The effort for a compression level of 0 (stored) to 9.
    package init(level: Int) {
        switch level {
        case ...0: (depth, niceLength, isLazy, isStored) = (0, 0, false, true)
        case 1: (depth, niceLength, isLazy) = (0, 16, false)
        case 2: (depth, niceLength, isLazy) = (2, 16, false)
        case 3: (depth, niceLength, isLazy) = (4, 32, false)
        case 4: (depth, niceLength, isLazy) = (2, 32, true)
        case 5: (depth, niceLength, isLazy) = (4, 32, true)
        case 6: (depth, niceLength, isLazy) = (12, 64, true)
        case 7: (depth, niceLength, isLazy) = (32, 128, true)
        case 8: (depth, niceLength, isLazy) = (96, 258, true)
        default: (depth, niceLength, isLazy) = (400, 258, true)
        }
    }
}

/// Compresses pieces of one deflate stream (RFC 1951), each independent of the others.
///
/// Matches never reach into an earlier piece, so pieces can be compressed in parallel and concatenated: the result
/// depends only on where the pieces end. The parser is greedy or lazy like zlib's, but compares a match with the
/// literals that it replaces by their costs in the previous block: residuals of photographs take few bits each, and
/// a short match far away often costs more than its literals.
package struct DeflateCompressor: ~Copyable {
    private static let hashBits: UInt32 = 15
    private static let hash3Bits: UInt32 = 14
    /// Few, so that the table stays in a processor's first cache.
    private static let hash6Bits: UInt64 = 13
    private static let windowSize = 32768
    private static let symbolsInBlock = 32768
    private static let bytesInBlock = 131_072

    let effort: DeflateEffort
    /// The number of bytes that two positions must share to be compared.
    private var hashLength = 5
    private var hashShift: UInt64 = 24
    var literalCode = HuffmanCode(symbolCount: DeflateTables.literalCount, maximumLength: 15)
    var distanceCode = HuffmanCode(symbolCount: DeflateTables.distanceCount, maximumLength: 15)
    var lengthCode = HuffmanCode(symbolCount: 19, maximumLength: 7)

    // Plain allocations rather than arrays, because the match finder's loop uses all of them at every byte.
    private let heads: UnsafeMutablePointer<Int32>
    private let heads3: UnsafeMutablePointer<Int32>
    private let previous: UnsafeMutablePointer<Int32>
    let symbols: UnsafeMutablePointer<UInt32>
    let literalFrequencies: UnsafeMutablePointer<UInt32>
    let distanceFrequencies: UnsafeMutablePointer<UInt32>
    var costs: DeflateCosts

    package init(effort: DeflateEffort) {
        self.effort = effort
        heads = .allocate(capacity: 1 << Int(Self.hashBits))
        heads3 = .allocate(capacity: 1 << Int(Self.hash3Bits))
        previous = .allocate(capacity: Self.windowSize)
        if effort.depth > 0 { previous.initialize(repeating: 0, count: Self.windowSize) }
        symbols = .allocate(capacity: Self.symbolsInBlock + 1)
        literalFrequencies = .allocate(capacity: DeflateTables.literalCount)
        distanceFrequencies = .allocate(capacity: DeflateTables.distanceCount)
        costs = DeflateCosts()
    }

    deinit {
        heads.deallocate()
        heads3.deallocate()
        previous.deallocate()
        symbols.deallocate()
        literalFrequencies.deallocate()
        distanceFrequencies.deallocate()
    }

    /// The most bytes that a piece can need, with the spare word of `DeflateBitWriter`.
    package static func bound(for count: Int) -> Int {
        count + (count / symbolsInBlock + 2) * 24 + 64
    }

    /// Compresses one piece and ends it at a byte boundary: with an empty stored block, or as the stream's last.
    ///
    /// - Parameter output: A buffer of at least `bound(for: input.count)` bytes.
    /// - Returns: The number of bytes written.
    package mutating func compress(
        _ input: UnsafeBufferPointer<UInt8>, isLast: Bool, into output: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var writer = DeflateBitWriter(output)
        if effort.depth > 0 {
            heads.initialize(repeating: -1, count: 1 << Int(Self.hashBits))
            heads3.initialize(repeating: -1, count: 1 << Int(Self.hash3Bits))
        } else {
            heads.initialize(repeating: -1, count: 1 << Int(Self.hash6Bits))
        }
        if let base = input.baseAddress {
            costs.start(input)
            // Where literals take few bits, only long matches pay; a longer hash finds those sooner.
            hashLength = costs.meanLiteralCost < 40 ? 8 : 5
            hashShift = UInt64(64 - 8 * hashLength)
            var position = 0
            if effort.isStored {
                writeStored(base, count: input.count, isLast: isLast, into: &writer)
                position = input.count
            }
            while position < input.count {
                let start = position
                let symbolCount = parse(base, count: input.count, position: &position)
                write(
                    base + start, count: position - start, symbolCount: symbolCount,
                    isLast: isLast && position == input.count, into: &writer)
                costs.update(literals: literalFrequencies, distances: distanceFrequencies)
            }
        }
        if !isLast || input.isEmpty {
            writeEmptyStoredBlock(isLast: isLast, into: &writer)
        }
        writer.align()
        return writer.count
    }
}

// MARK: - Parsing

extension DeflateCompressor {
    @inline(__always)
    private static func word(_ base: UnsafePointer<UInt8>, _ position: Int) -> UInt32 {
        UnsafeRawPointer(base + position).loadUnaligned(as: UInt32.self)
    }

    @inline(__always)
    private static func longWord(_ base: UnsafePointer<UInt8>, _ position: Int) -> UInt64 {
        UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self)
    }

    @inline(__always)
    private static func hash(_ word: UInt64, shift: UInt64, bits: UInt64) -> Int {
        Int(truncatingIfNeeded: ((word &<< shift) &* 0x9E37_79B1_7F4A_7C15) &>> (64 &- bits))
    }

    @inline(__always)
    private func hash(_ word: UInt64) -> Int { Self.hash(word, shift: hashShift, bits: UInt64(Self.hashBits)) }

    @inline(__always)
    private static func hash6(_ word: UInt64) -> Int { hash(word, shift: 16, bits: hash6Bits) }

    @inline(__always)
    private static func hash3(_ word: UInt32) -> Int {
        Int(truncatingIfNeeded: ((word & 0xFF_FFFF) &* 0x9E37_79B1) &>> (32 &- hash3Bits))
    }

    /// The length of the match between two positions, up to `limit`; the first `known` bytes are known to match.
    @inline(__always)
    private static func matchLength(
        _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, known: Int, limit: Int
    ) -> Int {
        var length = known
        while length &+ 8 <= limit {
            let x = UnsafeRawPointer(a + length).loadUnaligned(as: UInt64.self)
            let y = UnsafeRawPointer(b + length).loadUnaligned(as: UInt64.self)
            let difference = x ^ y
            if difference != 0 {
                return length &+ (UInt64(littleEndian: difference).trailingZeroBitCount &>> 3)
            }
            length &+= 8
        }
        while length < limit, a[length] == b[length] { length &+= 1 }
        return length
    }

    private struct Match {
        var length = 0
        var distance = 0
        var saving: Int32 = 0
    }

    /// Finds the match that saves most at a position, and records the position for later matches.
    @inline(__always)
    private func bestMatch(_ base: UnsafePointer<UInt8>, _ position: Int, _ count: Int) -> Match {
        var best = Match()
        let remaining = count &- position
        guard remaining >= 8 else { return best }
        let here = base + position
        let word = Self.word(base, position)
        let limit = min(remaining, 258)
        let lowest = max(0, position &- Self.windowSize &+ 1)
        let hash3 = Self.hash3(word)
        let candidate3 = Int(heads3[hash3])
        heads3[hash3] = Int32(truncatingIfNeeded: position)
        let longWord = Self.longWord(base, position)
        let hash = self.hash(longWord)
        var candidate = Int(heads[hash])
        heads[hash] = Int32(truncatingIfNeeded: position)
        previous[position & (Self.windowSize &- 1)] = Int32(truncatingIfNeeded: candidate)

        if candidate3 >= lowest, (Self.word(base, candidate3) ^ word) & UInt32(littleEndian: 0xFF_FFFF) == 0 {
            let length = Self.matchLength(here, base + candidate3, known: 3, limit: limit)
            let saving = costs.saving(position, length, position &- candidate3)
            if saving > 0 {
                best = Match(length: length, distance: position &- candidate3, saving: saving)
            }
        }
        var depth = effort.depth
        while candidate >= lowest, depth > 0, best.length < effort.niceLength {
            depth &-= 1
            if ((Self.longWord(base, candidate) ^ longWord) &<< hashShift) == 0,
                best.length < hashLength || (best.length < limit && base[candidate &+ best.length] == here[best.length])
            {
                let length = Self.matchLength(here, base + candidate, known: hashLength, limit: limit)
                if length > best.length {
                    let saving = costs.saving(position, length, position &- candidate)
                    if saving > best.saving {
                        best = Match(length: length, distance: position &- candidate, saving: saving)
                    }
                }
            }
            let next = Int(previous[candidate & (Self.windowSize &- 1)])
            // The ring has overwritten entries older than the window; those point to later positions.
            if next >= candidate { break }
            candidate = next
        }
        return best
    }

    /// The match at the last position with the same six bytes, if it saves anything: for level 1. Shorter matches save little in
    /// photographs, and looking at them takes longer than what they save.
    @inline(__always)
    private func lastMatch(_ base: UnsafePointer<UInt8>, _ position: Int, _ count: Int) -> Match {
        let remaining = count &- position
        guard remaining >= 8 else { return Match() }
        let word = Self.longWord(base, position)
        let hash = Self.hash6(word)
        let candidate = Int(heads[hash])
        heads[hash] = Int32(truncatingIfNeeded: position)
        guard candidate >= max(0, position &- Self.windowSize &+ 1),
            (Self.longWord(base, candidate) ^ word) & UInt64(littleEndian: 0xFFFF_FFFF_FFFF) == 0
        else { return Match() }
        let distance = position &- candidate
        let length = Self.matchLength(base + position, base + candidate, known: 6, limit: min(remaining, 258))
        return Match(length: length, distance: distance, saving: costs.saving(position, length, distance))
    }

    /// Records the positions that a match covers.
    @inline(__always)
    private func insert(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int, _ count: Int) {
        var position = start
        let last = min(end, count &- 8 &+ 1)
        while effort.depth == 0, position < last {
            heads[Self.hash6(Self.longWord(base, position))] = Int32(truncatingIfNeeded: position)
            position &+= 1
        }
        while position < last {
            let word = Self.word(base, position)
            heads3[Self.hash3(word)] = Int32(truncatingIfNeeded: position)
            let hash = self.hash(Self.longWord(base, position))
            previous[position & (Self.windowSize &- 1)] = heads[hash]
            heads[hash] = Int32(truncatingIfNeeded: position)
            position &+= 1
        }
    }

    /// Makes the sums of costs that matches at the next positions need; returns the position behind those.
    private func sumCosts(_ base: UnsafePointer<UInt8>, from position: Int, of blockEnd: Int, _ count: Int) -> Int {
        let end = min(blockEnd, position &+ DeflateCosts.summedByteCount)
        costs.sum(base, from: position, to: min(count, end &+ DeflateCosts.reach))
        return end
    }

    /// Converts the input from `position` on to at most one block of symbols.
    ///
    /// A literal is its byte; a match is bit 31, its length less 3 from bit 15, and its distance less 1.
    private mutating func parse(_ base: UnsafePointer<UInt8>, count: Int, position: inout Int) -> Int {
        // Locals: Swift 6.3.1 can't compile a change through a noncopyable `self` under the thread sanitizer.
        let literalFrequencies = literalFrequencies
        let distanceFrequencies = distanceFrequencies
        literalFrequencies.initialize(repeating: 0, count: DeflateTables.literalCount)
        distanceFrequencies.initialize(repeating: 0, count: DeflateTables.distanceCount)
        var made = 0
        let blockEnd = min(count, position &+ Self.bytesInBlock)
        var at = position
        var summed = position
        // A lazy match takes at most two symbols at once.
        while at < blockEnd, made < Self.symbolsInBlock &- 1 {
            if at >= summed { summed = sumCosts(base, from: at, of: blockEnd, count) }
            var match = effort.depth > 0 ? bestMatch(base, at, count) : lastMatch(base, at, count)
            if match.saving <= 0 {
                let byte = base[at]
                symbols[made] = UInt32(byte)
                made &+= 1
                literalFrequencies[Int(byte)] &+= 1
                at &+= 1
                continue
            }
            var firstUnrecorded = at &+ 1
            if effort.isLazy {
                while match.length < effort.niceLength, at &+ 1 < blockEnd, made < Self.symbolsInBlock &- 2 {
                    if at &+ 1 >= summed { summed = sumCosts(base, from: at &+ 1, of: blockEnd, count) }
                    let next = bestMatch(base, at &+ 1, count)
                    firstUnrecorded = at &+ 2
                    // The later match also needs a literal before it, so it replaces the earlier one only if it saves
                    // more.
                    guard next.saving > match.saving else { break }
                    let byte = base[at]
                    symbols[made] = UInt32(byte)
                    made &+= 1
                    literalFrequencies[Int(byte)] &+= 1
                    at &+= 1
                    match = next
                }
            }
            let length = UInt32(truncatingIfNeeded: match.length &- 3)
            let distance = UInt32(truncatingIfNeeded: match.distance &- 1)
            symbols[made] = 1 &<< 31 | length &<< 15 | distance
            made &+= 1
            literalFrequencies[257 &+ Int(costs.lengthSymbols[Int(length)])] &+= 1
            distanceFrequencies[Int(DeflateTables.distanceSymbol(distance))] &+= 1
            insert(base, from: firstUnrecorded, to: at &+ match.length, count)
            at &+= match.length
        }
        literalFrequencies[DeflateTables.endOfBlock] = 1
        position = at
        return made
    }
}
