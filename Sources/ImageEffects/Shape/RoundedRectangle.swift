internal import Raster

/// A rectangle with round corners.
struct RoundedRectangle: Sendable {
    /// Width and height.
    let size: PixelSize
    private let topLeft: RoundedCorner
    private let topRight: RoundedCorner
    private let bottomLeft: RoundedCorner
    private let bottomRight: RoundedCorner

    /// Radii in pixels; those larger than half the shorter side count as that.
    init(_ size: PixelSize, topLeft: Double, topRight: Double, bottomLeft: Double, bottomRight: Double) {
        self.size = size
        let largest = Double(min(size.width, size.height)) / 2
        self.topLeft = RoundedCorner(radius: min(topLeft, largest))
        self.topRight = topRight == topLeft ? self.topLeft : RoundedCorner(radius: min(topRight, largest))
        self.bottomLeft = bottomLeft == topLeft ? self.topLeft : RoundedCorner(radius: min(bottomLeft, largest))
        self.bottomRight = bottomRight == topLeft ? self.topLeft : RoundedCorner(radius: min(bottomRight, largest))
    }

    /// The same radius at each corner.
    init(_ size: PixelSize, radius: Double) {
        self.init(size, topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius)
    }

    /// Whether no corner is round.
    var isRectangle: Bool {
        [topLeft, topRight, bottomLeft, bottomRight].allSatisfy { $0.rows.isEmpty }
    }

    /// How much of row `y` lies within: from the left edge on, and from the right edge on; no pixel is in both.
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

    /// What two corners leave of a row that both reach, the middle one of an odd height.
    private static func both(_ a: RoundedCorner.Row, _ b: RoundedCorner.Row) -> RoundedCorner.Row {
        guard a.count > 0, b.count > 0 else { return a.count > 0 ? a : b }
        let count = max(a.count, b.count)
        return RoundedCorner.Row(first: 0, coverage: (0..<count).map { both(a.coverage(at: $0), b.coverage(at: $0)) })
    }

    /// What is left of a pixel of which each of two corners cuts off some.
    private static func both(_ a: UInt16, _ b: UInt16) -> UInt16 {
        UInt16(max(0, Int(a) + Int(b) - 65535))
    }
}
