internal import Platform
package import Raster

/// A turn of an image about its centre: where in it each pixel of the turned one lies.
///
/// Places are whole numbers with 32 bits after the point, counted from the centre of the first pixel.
struct Rotation: Sendable {
    /// A place in the image.
    struct Place {
        var x: Int
        var y: Int
    }

    /// Bits after the point.
    static let fractionBits = 32
    /// One pixel.
    static let one = 1 << fractionBits

    /// The image's size.
    let source: PixelSize
    /// The size that holds all of the turned image.
    let target: PixelSize
    private let cosine: Double
    private let sine: Double

    /// A turn of an image of `size` clockwise by `degrees`, a finite number.
    init(of size: PixelSize, degrees: Double) {
        let angle = degrees.truncatingRemainder(dividingBy: 360) * .pi / 180
        (cosine, sine) = (cos(angle), sin(angle))
        source = size
        // What sticks out by less than a step of eight bits can't be seen.
        func whole(_ length: Double) -> Int { max(1, Int((length - 1 / 256).rounded(.up))) }
        let (width, height) = (Double(size.width), Double(size.height))
        target = PixelSize(
            width: whole(width * abs(cosine) + height * abs(sine)),
            height: whole(width * abs(sine) + height * abs(cosine)))
    }

    /// From one pixel of a turned row to the next.
    var step: Place {
        Place(x: Self.fixed(cosine), y: Self.fixed(-sine))
    }

    /// Where the centre of a turned pixel lies.
    func place(column: Int, row: Int) -> Place {
        let x = Double(column) + 0.5 - Double(target.width) / 2
        let y = Double(row) + 0.5 - Double(target.height) / 2
        return Place(
            x: Self.fixed(Double(source.width) / 2 + x * cosine + y * sine - 0.5),
            y: Self.fixed(Double(source.height) / 2 - x * sine + y * cosine - 0.5))
    }

    private static func fixed(_ value: Double) -> Int { Int((value * Double(one)).rounded()) }

    /// Which of a row's `columns` lie in `x` and `y`, `start` being the place of the first.
    func columns(_ columns: Range<Int>, from start: Place, x: Range<Int>, y: Range<Int>) -> Range<Int> {
        let step = step
        let across = Self.steps(columns.count, from: start.x, by: step.x, in: x)
        let down = Self.steps(columns.count, from: start.y, by: step.y, in: y)
        let (first, end) = (max(across.lowerBound, down.lowerBound), min(across.upperBound, down.upperBound))
        return (columns.lowerBound + first)..<(columns.lowerBound + max(first, end))
    }

    /// Which of `count` steps from `start` land in `range`.
    private static func steps(_ count: Int, from start: Int, by step: Int, in range: Range<Int>) -> Range<Int> {
        guard step != 0 else { return range.contains(start) ? 0..<count : 0..<0 }
        let (distance, low, high) =
            step > 0
            ? (step, range.lowerBound - start, range.upperBound - start)
            : (-step, start - range.upperBound + 1, start - range.lowerBound + 1)
        func reached(_ length: Int) -> Int { length <= 0 ? 0 : min(count, (length - 1) / distance + 1) }
        let first = reached(low)
        return first..<max(first, reached(high))
    }

    /// What stands for a pixel that the image covers wholly.
    static let fullCoverage = 1 << 20

    /// How much of a pixel at `place` the image covers: less than all within half a pixel of its edges.
    func coverage(_ place: Place) -> Int {
        func along(_ place: Int, _ length: Int) -> Int {
            max(0, min(Self.one, min(place + Self.one, length * Self.one - place)))
        }
        return ((along(place.x, source.width) >> 2) * (along(place.y, source.height) >> 2)) >> 40
    }
}

/// A filter's weights for places between pixels, by steps of 1/1024: four for each, 16384 stands for 1.
package struct RotationWeights: Sendable {
    /// Bits after the point of a place that choose the weights.
    package static let phaseBits = 10
    /// What to add to a place so that it is cut off at the nearest phase.
    package static let half = 1 << (Rotation.fractionBits - phaseBits - 1)

    /// Each phase's four weights, every weight twice, as kernels take them.
    package let values: [Int16]

    /// The weights of a filter that reaches two pixels at most.
    package init(_ filter: ResamplingFilter) {
        var values: [Int16] = []
        values.reserveCapacity(8 << Self.phaseBits)
        for phase in 0..<(1 << Self.phaseBits) {
            let place = Double(phase) / Double(1 << Self.phaseBits)
            let weights = (-1...2).map { AxisWeights.value(of: filter, at: Double($0) - place) }
            // Sums are rounded and not weights, so that all four are exactly 1.
            var (sum, given) = (0.0, 0)
            for weight in weights {
                sum += weight
                let upTo = Int((sum * 16384).rounded())
                values.append(Int16(upTo - given))
                values.append(Int16(upTo - given))
                given = upTo
            }
        }
        self.values = values
    }
}
