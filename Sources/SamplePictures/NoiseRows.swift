/// One octave of smooth noise over a plane, added row by row: random values at the corners of a grid, interpolated
/// between them.
struct NoiseOctave {
    private let cellWidth: Int
    private let cellHeight: Int
    private let amplitude: Float
    private let seed: UInt32
    /// The weight of the right corner for each column of a cell.
    private let weights: [Float]
    private var row = Int.min
    private var upper: [Float]
    private var lower: [Float]
    private var corners: [Float]

    /// Creates noise of -`amplitude` to `amplitude` in cells of this many pixels, for rows of `width`.
    init(width: Int, cellWidth: Int, cellHeight: Int, amplitude: Float, seed: UInt32) {
        self.cellWidth = max(1, cellWidth)
        self.cellHeight = max(1, cellHeight)
        self.amplitude = amplitude
        self.seed = seed
        let cell = self.cellWidth
        weights = (0..<cell).map { Tone.rise(Float($0) / Float(cell), 0, 1) }
        let count = width / cell + 2
        upper = [Float](repeating: 0, count: count)
        lower = upper
        corners = upper
    }

    private func fill(_ values: inout [Float], row: Int) {
        for index in values.indices {
            values[index] = (Randomness.unit(Randomness.bits(index, row, seed: seed)) * 2 - 1) * amplitude
        }
    }

    /// Adds row `y` to `sums`, which has `width` values.
    mutating func add(to sums: inout [Float], y: Int) {
        let cellRow = y / cellHeight
        if cellRow != row {
            if cellRow == row + 1 {
                swap(&upper, &lower)
            } else {
                fill(&upper, row: cellRow)
            }
            fill(&lower, row: cellRow + 1)
            row = cellRow
        }
        let t = Tone.rise(Float(y % cellHeight) / Float(cellHeight), 0, 1)
        for index in corners.indices { corners[index] = upper[index] + (lower[index] - upper[index]) * t }
        Self.spread(corners.span, weights.span, &sums)
    }

    private static func spread(_ corners: Span<Float>, _ weights: Span<Float>, _ row: inout [Float]) {
        var sums = row.mutableSpan
        var (x, cell) = (0, 0)
        while x < sums.count {
            let (left, step) = (corners[cell], corners[cell + 1] - corners[cell])
            for index in 0..<min(weights.count, sums.count - x) { sums[x + index] += left + step * weights[index] }
            x += weights.count
            cell += 1
        }
    }
}

/// Several octaves of noise, each finer and weaker than the previous one, down to a few pixels.
struct NoiseRows {
    private var octaves: [NoiseOctave] = []
    private(set) var values: [Float]

    /// Creates at most `count` octaves of noise. The largest cells are `cellWidth` × `cellHeight` pixels, and each
    /// octave's amplitude is `persistence` times the previous one's.
    init(
        width: Int, cellWidth: Int, cellHeight: Int, amplitude: Float, persistence: Float, count: Int, seed: UInt32
    ) {
        values = [Float](repeating: 0, count: width)
        var (cellWidth, cellHeight, amplitude) = (cellWidth, cellHeight, amplitude)
        while octaves.count < count, octaves.isEmpty || max(cellWidth, cellHeight) > 2 {
            octaves.append(
                NoiseOctave(
                    width: width, cellWidth: cellWidth, cellHeight: cellHeight, amplitude: amplitude,
                    seed: seed &+ UInt32(octaves.count)))
            cellWidth = (cellWidth + 1) / 2
            cellHeight = (cellHeight + 1) / 2
            amplitude *= persistence
        }
    }

    /// Sets `values` to those of row `y`.
    mutating func move(to y: Int) {
        for index in values.indices { values[index] = 0 }
        for index in octaves.indices { octaves[index].add(to: &values, y: y) }
    }
}
