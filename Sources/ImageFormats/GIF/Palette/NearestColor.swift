internal import Raster

/// Finds the colour of a palette that is nearest to another, by the sum of the squared differences of red, green and
/// blue.
///
/// Exact: a cube of 8 × 8 × 8 colours keeps those of the palette that are nearest to any of its own, found when the
/// cube is first asked for.
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

/// Draws pixels with a palette so that what one of them gets wrong is made good by its neighbours (Floyd and Steinberg,
/// 1976), rows in turn from left to right and from right to left.
///
/// What a pixel has to make good is limited to twice the palette's spacing: where the palette has no colours on all
/// sides of the pixels' it would add up, until it is made good by a dot of quite another colour.
struct ErrorDiffusion {
    /// In sixteenths, what the row being drawn and the one below it have still to make good, a pixel of room at each
    /// end.
    private var current: [SIMD4<Int32>]
    private var below: [SIMD4<Int32>]
    private var goesLeft = false
    private let width: Int
    /// The longest difference in colour that a pixel makes good, and its square.
    private let limit: Float
    private let limitSquared: Float

    /// Diffusion over rows of `width` pixels, drawn with a palette whose colours are `spacing` from the nearest other
    /// one.
    init(width: Int, spacing: Float) {
        self.width = width
        limit = 2 * spacing
        limitSquared = limit * limit
        current = [SIMD4<Int32>](repeating: .zero, count: width + 2)
        below = current
    }

    /// Draws the row that comes next, whose pixels begin at `start`: fills `indices` where `isDrawn` says so. Others
    /// take no part.
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
