internal import CTesseraKernels

/// A way to choose the filter of each row (ISO/IEC 15948, 9).
enum PNGFilterStrategy: Hashable, CaseIterable {
    /// One filter for all rows, by its number.
    case none, sub, up, average, paeth
    /// The filter with the least sum of magnitudes, which the standard recommends.
    case leastSum
    /// The filter with the fewest different pairs of bytes, which suits drawings.
    case fewestPairs
    /// The filter whose pairs of bytes have the least entropy.
    case leastEntropy

    /// Filters `count` rows at `rows` to `target`, which has room for a byte more for each row.
    func filter(
        _ rows: UnsafePointer<UInt8>, count: Int, rowByteCount: Int, distance: Int,
        into target: UnsafeMutablePointer<UInt8>
    ) {
        let chooser = PNGPairCounter(rowByteCount: self == .fewestPairs || self == .leastEntropy ? rowByteCount : 0)
        for y in 0..<count {
            // Rows and targets lie within the caller's buffers, one after the other.
            let row = rows + y * rowByteCount
            let above = y == 0 ? nil : row - rowByteCount
            let output = target + y * (rowByteCount + 1)
            func apply(_ number: UInt32) {
                tessera_png_filter(output, row, above, rowByteCount, UInt32(distance), number)
            }
            switch self {
            case .none: apply(0)
            case .sub: apply(1)
            case .up: apply(2)
            case .average: apply(3)
            case .paeth: apply(4)
            case .leastSum:
                tessera_png_filter_adaptive(output, row, above, rowByteCount, UInt32(distance), 5)
            case .fewestPairs, .leastEntropy:
                var best = (cost: Int.max, number: UInt32(0))
                for number in UInt32(0)..<5 {
                    apply(number)
                    let cost = chooser.cost(of: output + 1, usesEntropy: self == .leastEntropy)
                    if cost < best.cost { best = (cost, number) }
                }
                apply(best.number)
            }
        }
    }
}

/// Counts the pairs of neighbouring bytes in a row.
struct PNGPairCounter: ~Copyable {
    private let counts: UnsafeMutablePointer<UInt32>
    private let rowByteCount: Int

    /// - Parameter rowByteCount: The length of a row; 0 if no row will be counted.
    init(rowByteCount: Int) {
        self.rowByteCount = rowByteCount
        counts = .allocate(capacity: Self.pairCount)
        counts.initialize(repeating: 0, count: Self.pairCount)
    }

    deinit { counts.deallocate() }

    private static let pairCount = 65536

    /// Returns the number of different pairs in `row`, or the entropy of the pairs in sixteenths of a bit.
    func cost(of row: UnsafePointer<UInt8>, usesEntropy: Bool) -> Int {
        guard rowByteCount > 1 else { return 0 }
        var different = 0
        var sum = 0
        // Pairs are 16-bit numbers, for each of which there is a count.
        for index in 1..<rowByteCount {
            let pair = Int(row[index - 1]) << 8 | Int(row[index])
            if counts[pair] == 0 { different += 1 }
            counts[pair] += 1
        }
        for index in 1..<rowByteCount {
            let pair = Int(row[index - 1]) << 8 | Int(row[index])
            let count = counts[pair]
            guard count > 0 else { continue }
            if usesEntropy { sum -= Int(count) * Int(DeflateCosts.log2(count)) }
            counts[pair] = 0
        }
        return usesEntropy ? sum : different
    }
}
