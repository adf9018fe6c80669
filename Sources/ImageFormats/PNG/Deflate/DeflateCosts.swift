/// The costs of symbols in sixteenths of a bit, estimated from the previous block.
struct DeflateCosts: ~Copyable {
    // Plain allocations, because the match finder's loop reads them at every byte.
    private let literals: UnsafeMutablePointer<UInt32>
    private let lengths: UnsafeMutablePointer<UInt32>
    private let distances: UnsafeMutablePointer<UInt32>
    private let sums: UnsafeMutablePointer<UInt32>
    private let scratch: UnsafeMutablePointer<UInt32>
    /// The mean cost of a literal in sixteenths of a bit, from the first bytes of the input.
    private(set) var meanLiteralCost: UInt32 = 0
    let lengthSymbols: UnsafeMutablePointer<UInt8>
    let lengthBases: UnsafeMutablePointer<UInt32>
    let lengthExtraBits: UnsafeMutablePointer<UInt8>
    private let origin: UnsafeMutablePointer<Int>

    /// The bytes whose sums are made at once: few, so that they stay in a processor's first cache.
    static let summedByteCount = 1 << 12
    /// The bytes beyond them that a match may cover.
    static let reach = 260

    init() {
        literals = .allocate(capacity: 256)
        lengths = .allocate(capacity: 259)
        lengths.initialize(repeating: 0, count: 259)
        distances = .allocate(capacity: 32)
        distances.initialize(repeating: 0, count: 32)
        sums = .allocate(capacity: Self.summedByteCount + Self.reach + 1)
        scratch = .allocate(capacity: 256)
        lengthSymbols = .allocate(capacity: 256)
        for length in 0..<256 { lengthSymbols[length] = DeflateTables.lengthSymbols[length] }
        lengthBases = .allocate(capacity: 29)
        lengthExtraBits = .allocate(capacity: 29)
        for symbol in 0..<29 {
            lengthBases[symbol] = UInt32(DeflateTables.lengthBases[symbol])
            lengthExtraBits[symbol] = DeflateTables.lengthExtraBits[symbol]
        }
        origin = .allocate(capacity: 1)
        origin.initialize(to: 0)
    }

    deinit {
        literals.deallocate()
        lengths.deallocate()
        distances.deallocate()
        sums.deallocate()
        scratch.deallocate()
        lengthSymbols.deallocate()
        lengthBases.deallocate()
        lengthExtraBits.deallocate()
        origin.deallocate()
    }

    /// The cost of the literals that a match replaces, less its own, in sixteenths of a bit.
    @inline(__always)
    func saving(_ position: Int, _ length: Int, _ distance: Int) -> Int32 {
        let start = position &- origin.pointee
        let covered = sums[start &+ length] &- sums[start]
        let symbol = DeflateTables.distanceSymbol(UInt32(truncatingIfNeeded: distance &- 1))
        let spent = lengths[length] &+ distances[Int(symbol)]
        return Int32(truncatingIfNeeded: covered) &- Int32(truncatingIfNeeded: spent)
    }

    /// Sets the costs for the first block: literals by the distribution of bytes, matches by typical costs.
    mutating func start(_ input: UnsafeBufferPointer<UInt8>) {
        scratch.initialize(repeating: 0, count: 256)
        let sampled = min(input.count, 65536)
        for index in 0..<sampled { scratch[Int(input[index])] &+= 1 }
        let total = Self.log2(UInt32(sampled + 256))
        for byte in 0..<256 { literals[byte] = total - Self.log2(scratch[byte] + 1) + 8 }
        var sum: UInt64 = 0
        for byte in 0..<256 { sum += UInt64(scratch[byte]) * UInt64(literals[byte]) }
        meanLiteralCost = UInt32(sum / UInt64(max(1, sampled)))
        for length in 3...258 {
            let symbol = Int(lengthSymbols[length - 3])
            lengths[length] = 16 * (4 + UInt32(symbol) / 4 + UInt32(DeflateTables.lengthExtraBits[symbol]))
        }
        for symbol in 0..<30 {
            distances[symbol] = 16 * (5 + DeflateTables.distanceExtraBits(UInt32(symbol)))
        }
    }

    /// Sets the costs for the next block from the symbols used in the last.
    func update(literals used: UnsafePointer<UInt32>, distances usedDistances: UnsafePointer<UInt32>) {
        var count: UInt32 = 0
        for symbol in 0..<DeflateTables.literalCount { count += used[symbol] }
        let total = Self.log2(count + 143)
        for byte in 0..<256 { literals[byte] = total - Self.log2Twice(used[byte]) }
        for length in 3...258 {
            let symbol = Int(lengthSymbols[length - 3])
            lengths[length] =
                total - Self.log2Twice(used[257 + symbol]) + 16 * UInt32(DeflateTables.lengthExtraBits[symbol])
        }
        var matches: UInt32 = 0
        for symbol in 0..<30 { matches += usedDistances[symbol] }
        let totalDistances = Self.log2(matches + 15)
        for symbol in 0..<30 {
            distances[symbol] =
                totalDistances - min(totalDistances, Self.log2Twice(usedDistances[symbol]))
                + 16 * DeflateTables.distanceExtraBits(UInt32(symbol))
        }
    }

    /// Builds prefix sums of the literals' costs, so that the cost of a run is one subtraction.
    func sum(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) {
        origin.pointee = start
        var sum: UInt32 = 0
        sums[0] = 0
        var index = start
        while index < end {
            sum &+= literals[Int(base[index])]
            index &+= 1
            sums[index &- start] = sum
        }
    }

    /// The logarithm of a count plus one half, which keeps it finite, in sixteenths; the total includes the halves.
    @inline(__always)
    private static func log2Twice(_ count: UInt32) -> UInt32 {
        log2(2 * count + 1) - min(16, log2(2 * count + 1))
    }

    /// Sixteen times the logarithm to base 2, within a tenth of a bit; in integers, so that results are reproducible.
    @inline(__always)
    static func log2(_ value: UInt32) -> UInt32 {
        let exponent = 31 - UInt32(value.leadingZeroBitCount)
        let fraction = (value << (31 - exponent)) >> 15 & 0xFFFF
        // log2(1 + f) is close to f + 0.34 f (1 - f).
        let bend = (((fraction * (65536 - fraction)) >> 16) * 87) >> 8
        return exponent * 16 + (fraction + bend + 2048) >> 12
    }
}
