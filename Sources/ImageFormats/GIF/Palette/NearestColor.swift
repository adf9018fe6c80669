internal import Raster

/// Finds the palette colour nearest to another colour, by the sum of squared differences of red, green and blue.
///
/// Exact: each cube of 8 × 8 × 8 colours has a list of the palette colours that can be nearest to any colour in it,
/// made when the cube is first needed.
struct NearestColor {
    private let colors: [SIMD4<Int32>]
    /// The start of each cube's entry in `candidates`, or -1 if it hasn't been made.
    private var starts = [Int32](repeating: -1, count: 1 << 15)
    /// For each cube, the number of its candidates followed by their indices.
    private var candidates: [UInt16] = []

    /// A search among `palette`, which has 1 to 256 colours.
    init(_ palette: [RGBA8]) {
        precondition((1...256).contains(palette.count))
        colors = palette.map { SIMD4(Int32($0.red), Int32($0.green), Int32($0.blue), 0) }
    }

    /// The palette's colour at `index`; its fourth element is 0.
    @inline(__always)
    func color(at index: Int) -> SIMD4<Int32> { colors[index] }

    /// The mean distance of each colour to its nearest neighbour; infinite for a single colour.
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

    /// The index of the colour nearest to `color`, whose elements are within 0…255, with the fourth 0.
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

    /// Lists a cube's candidates: the colours whose distance to the cube doesn't exceed the smallest distance from any
    /// colour to its farthest corner.
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

/// Draws pixels with a palette, distributing each pixel's error to its neighbours (Floyd and Steinberg, 1976). Rows
/// alternate between left to right and right to left.
///
/// The error added to a pixel is limited to twice the palette's spacing. Otherwise it would accumulate where the
/// palette doesn't surround the pixels' colours, and appear as dots of a very different colour.
struct ErrorDiffusion {
    /// The errors for the current row and the one below, in sixteenths, with a margin of one pixel at each end.
    private var current: [SIMD4<Int32>]
    private var below: [SIMD4<Int32>]
    private var goesLeft = false
    private let width: Int
    /// The limit on the error added to a pixel, and its square.
    private let limit: Float
    private let limitSquared: Float

    /// A diffusion for rows of `width` pixels and a palette with this `spacing` (see `NearestColor`).
    init(width: Int, spacing: Float) {
        self.width = width
        limit = 2 * spacing
        limitSquared = limit * limit
        current = [SIMD4<Int32>](repeating: .zero, count: width + 2)
        below = current
    }

    /// Draws the next row, whose pixels begin at `start`: sets `indices` where `isDrawn` is true.
    mutating func draw(
        _ pixels: Span<RGBA8>, isDrawn: Span<Bool>, from start: Int, with palette: inout NearestColor,
        to indices: inout MutableSpan<UInt8>
    ) {
        var (current, below) = (self.current, self.below)
        (self.current, self.below) = ([], [])
        let step = goesLeft ? -1 : 1
        var x = goesLeft ? width - 1 : 0
        let white = SIMD4<Int32>(255, 255, 255, 0)
        for _ in 0..<width {
            if isDrawn[start + x] {
                let pixel = pixels[start + x]
                let stored = SIMD4<Int32>(Int32(pixel.red), Int32(pixel.green), Int32(pixel.blue), 0)
                var owed = (current[x + 1] &+ 8) &>> 4
                let square = Float((owed &* owed).wrappedSum())
                if square > limitSquared {
                    let scale = limit / square.squareRoot()
                    owed = SIMD4<Int32>(SIMD4<Float>(owed) * scale, rounding: .towardZero)
                }
                let color = (stored &+ owed).clamped(lowerBound: .zero, upperBound: white)
                let index = palette.index(of: color)
                indices[start + x] = UInt8(truncatingIfNeeded: index)
                let error = color &- palette.color(at: index)
                current[x + 1 + step] &+= error &* 7
                below[x + 1 - step] &+= error &* 3
                below[x + 1] &+= error &* 5
                below[x + 1 + step] &+= error
            }
            x += step
        }
        for index in current.indices { current[index] = .zero }
        (self.current, self.below) = (below, current)
        goesLeft.toggle()
    }
}
