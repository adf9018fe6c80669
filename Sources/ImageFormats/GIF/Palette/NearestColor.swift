internal import Raster

/// Finds the colour of a palette that is nearest to another, by the sum of the squared differences of red, green and
/// blue.
///
/// Exact: a cube of 8 × 8 × 8 colours keeps those of the palette that are nearest to any of its own, found when the cube
/// is first asked for.
struct NearestColor {
    private let colors: [SIMD4<Int32>]
    /// For each cube where its candidates begin in `candidates`, or -1 while they aren't known.
    private var starts = [Int32](repeating: -1, count: 1 << 15)
    /// For each cube that was asked for their number, then their indices.
    private var candidates: [UInt16] = []

    /// A search among `palette`, which has 1 to 256 colours.
    init(_ palette: [RGBA8]) {
        precondition((1...256).contains(palette.count))
        colors = palette.map { SIMD4(Int32($0.red), Int32($0.green), Int32($0.blue), 0) }
    }

    /// The palette's colour at `index`; its fourth value is 0.
    @inline(__always)
    func color(at index: Int) -> SIMD4<Int32> { colors[index] }

    /// How far the colours are from the nearest other one, on average; infinite for a single colour.
    var spacing: Float {
        var sum = Float.zero
        for (index, color) in colors.enumerated() {
            var least = Int32.max
            for (other, candidate) in colors.enumerated() where other != index {
                least = min(least, Self.distance(color, candidate))
            }
            sum += least == .max ? .infinity : Float(least).squareRoot()
        }
        return sum / Float(colors.count)
    }

    /// The index of the colour nearest to `color`, whose values are within 0…255 and whose fourth is 0.
    @inline(__always)
    mutating func index(of color: SIMD4<Int32>) -> Int {
        let cube = Int((color.x >> 3) << 10 | (color.y >> 3) << 5 | color.z >> 3)
        if starts[cube] < 0 { findCandidates(cube) }
        let start = Int(starts[cube])
        var best = Int(candidates[start + 1])
        let count = Int(candidates[start])
        guard count > 1 else { return best }
        var least = Self.distance(colors[best], color)
        for place in (start + 2)...(start + count) {
            let index = Int(candidates[place])
            let distance = Self.distance(colors[index], color)
            if distance < least { (best, least) = (index, distance) }
        }
        return best
    }

    @inline(__always)
    private static func distance(_ a: SIMD4<Int32>, _ b: SIMD4<Int32>) -> Int32 {
        let difference = a &- b
        return (difference &* difference).wrappedSum()
    }

    /// No colour of the cube can be nearer to one whose nearest corner is further than another's furthest.
    @inline(never)
    private mutating func findCandidates(_ cube: Int) {
        let low = SIMD4(Int32(cube >> 10) << 3, Int32(cube >> 5 & 31) << 3, Int32(cube & 31) << 3, 0)
        let high = low &+ SIMD4(7, 7, 7, 0)
        var bound = Int32.max
        for color in colors {
            let below = color &- low
            let above = high &- color
            let furthest = pointwiseMax(below, above)
            bound = min(bound, (furthest &* furthest).wrappedSum())
        }
        starts[cube] = Int32(candidates.count)
        candidates.append(0)
        for (index, color) in colors.enumerated() {
            let outside = pointwiseMax(pointwiseMax(low &- color, color &- high), .zero)
            if (outside &* outside).wrappedSum() <= bound { candidates.append(UInt16(index)) }
        }
        candidates[Int(starts[cube])] = UInt16(candidates.count - 1 - Int(starts[cube]))
    }
}
