internal import Platform
internal import Raster

/// A rectangle with rounded corners.
struct RoundedRectangle: Sendable {
    /// Width and height in pixels.
    let size: PixelSize
    private let topLeft: RoundedCorner
    private let topRight: RoundedCorner
    private let bottomLeft: RoundedCorner
    private let bottomRight: RoundedCorner

    /// Radii in pixels, each limited to half the shorter side.
    init(_ size: PixelSize, topLeft: Double, topRight: Double, bottomLeft: Double, bottomRight: Double) {
        self.size = size
        let largest = Double(min(size.width, size.height)) / 2
        self.topLeft = RoundedCorner(radius: min(topLeft, largest))
        self.topRight = topRight == topLeft ? self.topLeft : RoundedCorner(radius: min(topRight, largest))
        self.bottomLeft = bottomLeft == topLeft ? self.topLeft : RoundedCorner(radius: min(bottomLeft, largest))
        self.bottomRight = bottomRight == topLeft ? self.topLeft : RoundedCorner(radius: min(bottomRight, largest))
    }

    /// A rectangle with the same radius at each corner.
    init(_ size: PixelSize, radius: Double) {
        self.init(size, topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius)
    }

    /// Whether no corner is rounded.
    var isRectangle: Bool {
        [topLeft, topRight, bottomLeft, bottomRight].allSatisfy { $0.rows.isEmpty }
    }

    /// The coverage of row `y` from the left edge, and from the right edge; no pixel is in both.
    func row(_ y: Int) -> (left: RoundedCorner.Row, right: RoundedCorner.Row) {
        let below = size.height - 1 - y
        var left = Self.both(topLeft.row(y), bottomLeft.row(below))
        var right = Self.both(topRight.row(y), bottomRight.row(below))
        if left.count + right.count > size.width, let last = right.coverage.popLast() {
            // With an odd width the arcs may share the middle pixel.
            left.coverage[left.coverage.count - 1] = Self.both(left.coverage[left.coverage.count - 1], last)
        }
        return (left, right)
    }

    /// The coverage of a row that both corners reach, the middle one of an odd height.
    private static func both(_ a: RoundedCorner.Row, _ b: RoundedCorner.Row) -> RoundedCorner.Row {
        guard a.count > 0, b.count > 0 else { return a.count > 0 ? a : b }
        let count = max(a.count, b.count)
        return RoundedCorner.Row(first: 0, coverage: (0..<count).map { both(a.coverage(at: $0), b.coverage(at: $0)) })
    }

    /// The coverage of a pixel cut by two corners.
    private static func both(_ a: UInt16, _ b: UInt16) -> UInt16 {
        UInt16(max(0, Int(a) + Int(b) - 65535))
    }
}

/// The coverage of each pixel of a corner: the exact area inside the arc, in units of 1/65535.
struct RoundedCorner: Sendable {
    /// A row of the corner: pixels before `first` are outside, pixels after the last of `coverage` inside.
    struct Row: Sendable {
        var first: Int
        var coverage: [UInt16]

        /// The number of pixels, from the edge, that aren't wholly inside.
        var count: Int { first + coverage.count }

        /// The coverage of pixel `x`.
        func coverage(at x: Int) -> UInt16 {
            x < first ? 0 : x < count ? coverage[x - first] : 65535
        }

        /// A row that the arc doesn't reach.
        static let whole = Row(first: 0, coverage: [])
    }

    /// The rows that the arc reaches, from the edge inwards; none for a radius of 0.
    let rows: [Row]

    /// Row `y`, counted from the edge.
    func row(_ y: Int) -> Row { y < rows.count ? rows[y] : .whole }

    /// The corner of a rectangle whose edges meet at pixel (0, 0), with a radius in pixels.
    init(radius: Double) {
        let count = Int(radius.rounded(.up))
        rows = (0..<count).map { y in
            // The row's distances from the centre.
            let (low, high) = (radius - Double(y + 1), radius - Double(y))
            // The arc's intersections with the row's far and near side: only pixels between them need their area
            // computed.
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

    /// The area of left...right × low...high inside the circle around the origin where both are positive, and otherwise
    /// inside the straight edges that continue it.
    private static func area(
        _ left: Double, _ right: Double, _ low: Double, _ high: Double, _ radius: Double
    ) -> Double {
        let bottom = max(0, low)
        // Beside the centre the edge is straight.
        var area = max(0, -left) * (high - low) + (right - max(0, left)) * (bottom - low)
        let from = max(0, left)
        // The full height of the pixel as far as the arc is above it, then the area under the arc.
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
