/// The weight of each coefficient of a block in the means of the block's quarters.
///
/// The mean of cos((2x + 1)kπ/16) over x = 0…3 is sin(kπ/2) / (8 sin(kπ/16)), so even k but 0 have no weight; over
/// x = 4…7 it is the same with the other sign for odd k. In units of 2⁻¹³ and with the √2 by which a coefficient of
/// k > 0 outweighs k = 0, four times that is ±8192 √2 / (2 sin(kπ/16)).
struct JPEGQuarterWeights: Sendable {
    static let scaleBits = 13
    /// Of k = 1, 3, 5 and 7.
    private static let odd: InlineArray<4, Int> = [29692, -10426, 6967, -5906]
    /// Places in an accumulator for a column's coefficient of row 0, and 5 further for its sum over the odd rows.
    private static let places = [0: 0, 1: 1, 3: 2, 5: 3, 7: 4]
    /// The accumulator's slot for coefficients without weight.
    static let unused = 10

    /// How a coefficient contributes.
    struct Weight: Sendable {
        /// The quantisation step.
        var step = 0
        /// The weight down the column.
        var weight = 0
        /// The accumulator's slot to add to.
        var place = JPEGQuarterWeights.unused
    }

    /// For each zigzag position, and for the positions that a damaged file reaches.
    let weights: [Weight]

    init(_ quantization: [UInt16]) {
        var weights = [Weight](repeating: Weight(), count: 256)
        for (position, natural) in Self.zigzag.enumerated() {
            weights[position].step = Int(quantization[position])
            let (row, column) = (natural / 8, natural % 8)
            guard let place = Self.places[column], row % 2 == 1 || row == 0 else { continue }
            weights[position].weight = row == 0 ? 1 : Self.odd[row / 2]
            weights[position].place = row == 0 ? place : place + 5
        }
        self.weights = weights
    }

    /// The means of the quarters, row by row, each 0 to 255; nil where 16-bit arithmetic, which libjpeg may use, would
    /// give another result.
    static func means(of sums: InlineArray<11, Int>) -> (UInt8, UInt8, UInt8, UInt8)? {
        var beyond = 0
        // The sums of a column's coefficients in the upper and in the lower half.
        func halves(_ column: Int) -> (upper: Int, lower: Int) {
            let even = sums[column] &<< (scaleBits + 2) &+ 4096
            let (top, bottom) = ((even &+ sums[column &+ 5]) &>> 13, (even &- sums[column &+ 5]) &>> 13)
            beyond |= (top &+ 32768) | (bottom &+ 32768)
            return (top, bottom)
        }
        let mean = halves(0)
        var (upper, lower) = ((mean.upper &<< 15 &+ 1 &<< 19, 0), (mean.lower &<< 15 &+ 1 &<< 19, 0))
        for column in 1..<5 {
            let half = halves(column)
            upper.1 &+= half.upper &* odd[column &- 1]
            lower.1 &+= half.lower &* odd[column &- 1]
        }
        guard beyond >> 16 == 0 else { return nil }
        let values = (upper.0 &+ upper.1, upper.0 &- upper.1, lower.0 &+ lower.1, lower.0 &- lower.1)
        guard let first = sample(values.0 >> 20), let second = sample(values.1 >> 20),
            let third = sample(values.2 >> 20), let fourth = sample(values.3 >> 20)
        else { return nil }
        return (first, second, third, fourth)
    }

    /// A sample `level` above the middle, clamped; nil if libjpeg's table would wrap.
    @inline(__always)
    static func sample(_ level: Int) -> UInt8? {
        isExact(level) ? clampedSample(level) : nil
    }

    /// Whether a level is small enough that libjpeg's table doesn't wrap.
    @inline(__always)
    static func isExact(_ level: Int) -> Bool { -512..<512 ~= level }

    /// A sample `level` above the middle, clamped.
    @inline(__always)
    static func clampedSample(_ level: Int) -> UInt8 { UInt8(truncatingIfNeeded: min(max(level &+ 128, 0), 255)) }

    /// The positions of zigzag indices in a block, row by row: along its diagonals, alternately upwards and downwards.
    static let zigzag: [Int] = (0..<15).flatMap { diagonal -> [Int] in
        let rows = (max(0, diagonal - 7)...min(7, diagonal)).map { $0 }
        return (diagonal % 2 == 0 ? rows.reversed() : rows).map { $0 * 8 + diagonal - $0 }
    }
}
