#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// How much of each pixel of a corner lies within its arc: exactly the area, in 1/65535.
struct RoundedCorner: Sendable {
    /// A row of the corner: pixels before `first` lie outside, those after the last of `coverage` inside.
    struct Row: Sendable {
        var first: Int
        var coverage: [UInt16]

        /// How many pixels from the edge on are not wholly inside.
        var count: Int { first + coverage.count }

        /// How much of the pixel lies inside.
        func coverage(at x: Int) -> UInt16 {
            x < first ? 0 : x < count ? coverage[x - first] : 65535
        }

        /// A row that the arc doesn't reach.
        static let whole = Row(first: 0, coverage: [])
    }

    /// The rows that the arc reaches, the edge's first; none for a radius of 0.
    let rows: [Row]

    /// Row `y` from the edge on.
    func row(_ y: Int) -> Row { y < rows.count ? rows[y] : .whole }

    /// The corner of a rectangle whose edges meet at pixel (0, 0), with a radius in pixels.
    init(radius: Double) {
        let count = Int(radius.rounded(.up))
        rows = (0..<count).map { y in
            // Distances from the centre, which the rows come closer to.
            let (low, high) = (radius - Double(y + 1), radius - Double(y))
            // Where the arc leaves the row, at its far and near side: pixels before and after need no area.
            let first = max(0, Int(radius - Self.half(max(0, low), radius)))
            let end = min(count, Int((radius - Self.half(high, radius)).rounded(.up)))
            let coverage = (first..<max(first, end)).map { x in
                let area = Self.area(radius - Double(x + 1), radius - Double(x), low, high, radius)
                return UInt16((max(0, min(1, area)) * 65535).rounded())
            }
            return Row(first: first, coverage: coverage)
        }
    }

    /// Half the chord of a circle at a distance from its centre.
    private static func half(_ distance: Double, _ radius: Double) -> Double {
        max(0, radius * radius - distance * distance).squareRoot()
    }

    /// The area of left...right × low...high within the circle around 0, where those are positive, and within the
    /// stripes along the axes that corners end in, where they aren't.
    private static func area(
        _ left: Double, _ right: Double, _ low: Double, _ high: Double, _ radius: Double
    ) -> Double {
        let bottom = max(0, low)
        // Beside the centre the edge is straight.
        var area = max(0, -left) * (high - low) + (right - max(0, left)) * (bottom - low)
        let from = max(0, left)
        // Up to where the arc is as high as the pixel, all of it; then what lies under the arc.
        let whole = min(right, max(from, half(high, radius)))
        let end = min(right, max(from, half(bottom, radius)))
        area += (whole - from) * (high - bottom)
        if end > whole {
            area += under(end, radius) - under(whole, radius) - (end - whole) * bottom
        }
        return area
    }

    /// The area under the arc from the centre to `x`.
    private static func under(_ x: Double, _ radius: Double) -> Double {
        (x * half(x, radius) + radius * radius * asin(min(1, x / radius))) / 2
    }
}
