internal import Platform
package import Raster

/// A rotation about the image's centre: maps each pixel of the result to a place in the image.
///
/// Places are integers with 32 bits after the point, counted from the centre of the first pixel.
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
    /// The smallest size that holds the rotated image.
    let target: PixelSize
    private let cosine: Double
    private let sine: Double

    /// A clockwise rotation of an image of `size` by `degrees`, which must be finite.
    init(of size: PixelSize, degrees: Double) {
        let angle = degrees.truncatingRemainder(dividingBy: 360) * .pi / 180
        (cosine, sine) = (cos(angle), sin(angle))
        source = size
        // A protrusion of less than 1/256 pixel is invisible with eight bits.
        func whole(_ length: Double) -> Int { max(1, Int((length - 1 / 256).rounded(.up))) }
        let (width, height) = (Double(size.width), Double(size.height))
        target = PixelSize(
            width: whole(width * abs(cosine) + height * abs(sine)),
            height: whole(width * abs(sine) + height * abs(cosine)))
    }

    /// The distance from one pixel of a rotated row to the next.
    var step: Place {
        Place(x: Self.fixed(cosine), y: Self.fixed(-sine))
    }

    /// The place of a rotated pixel's centre.
    func place(column: Int, row: Int) -> Place {
        let x = Double(column) + 0.5 - Double(target.width) / 2
        let y = Double(row) + 0.5 - Double(target.height) / 2
        return Place(
            x: Self.fixed(Double(source.width) / 2 + x * cosine + y * sine - 0.5),
            y: Self.fixed(Double(source.height) / 2 - x * sine + y * cosine - 0.5))
    }

    private static func fixed(_ value: Double) -> Int { Int((value * Double(one)).rounded()) }

    /// The part of a row's `columns` that lies within `x` and `y`. The first column is at `start`.
    func columns(_ columns: Range<Int>, from start: Place, x: Range<Int>, y: Range<Int>) -> Range<Int> {
        let step = step
        let across = Self.steps(columns.count, from: start.x, by: step.x, in: x)
        let down = Self.steps(columns.count, from: start.y, by: step.y, in: y)
        let (first, end) = (max(across.lowerBound, down.lowerBound), min(across.upperBound, down.upperBound))
        return (columns.lowerBound + first)..<(columns.lowerBound + max(first, end))
    }

    /// Those of `count` steps from `start` that land in `range`.
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

    /// The coverage of a pixel wholly inside the image.
    static let fullCoverage = 1 << 20

    /// The image's coverage of a pixel at `place`: partial within half a pixel of the edges.
    func coverage(_ place: Place) -> Int {
        func along(_ place: Int, _ length: Int) -> Int {
            max(0, min(Self.one, min(place + Self.one, length * Self.one - place)))
        }
        return ((along(place.x, source.width) >> 2) * (along(place.y, source.height) >> 2)) >> 40
    }
}

/// A filter's weights for positions between pixels, in steps of 1/1024: four for each, in units of 1/16384.
package struct RotationWeights: Sendable {
    /// The number of bits after the point of a place that select the weights.
    package static let phaseBits = 10
    /// Added to a place, rounds it to the nearest phase when truncated.
    package static let half = 1 << (Rotation.fractionBits - phaseBits - 1)

    /// The four weights of each phase, each stored twice, as the kernels take them.
    package let values: [Int16]

    /// The weights of a filter that reaches at most two pixels.
    package init(_ filter: ResamplingFilter) {
        var values: [Int16] = []
        values.reserveCapacity(8 << Self.phaseBits)
        for phase in 0..<(1 << Self.phaseBits) {
            let place = Double(phase) / Double(1 << Self.phaseBits)
            let weights = (-1...2).map { AxisWeights.value(of: filter, at: Double($0) - place) }
            // Rounding the running sum instead of each weight makes all four sum to exactly 1.
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
