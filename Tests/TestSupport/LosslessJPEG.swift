/// A lossless JPEG made for a test by a plain encoder (ITU-T T.81, annex H), and the samples that it holds.
///
/// The encoder works on whole planes and looks nothing up, so that it shares no idea with the decoder.
package struct LosslessJPEG: Sendable, CustomStringConvertible {
    package var precision = 8
    package var width = 19
    package var height = 13
    /// The sampling factors of each component.
    package var sampling: [(across: Int, down: Int)] = [(1, 1)]
    /// The components of each scan.
    package var scans: [[Int]] = [[0]]
    /// The predictor of each scan; the last one counts for all further scans too.
    package var predictors = [1]
    /// The point transform of each scan; the last one counts for all further scans too.
    package var pointTransforms = [0]
    /// Rows of MCUs between restart markers; 0 for none.
    package var restartRows = 0
    /// The components' identifiers; by default 1, 2, 3 …
    package var identifiers: [UInt8]?
    /// Whether the height comes after the first scan, in a DNL segment.
    package var hasDNL = false
    /// Segments after the start-of-image marker.
    package var head: [UInt8] = []
    /// The sample of a component at a column and a row, of which the lowest bits count.
    package var sample: @Sendable (_ component: Int, _ x: Int, _ y: Int) -> Int = LosslessJPEG.noisySlope

    package init() {}

    package init(_ change: (inout LosslessJPEG) -> Void) { change(&self) }

    package var description: String {
        "\(width)×\(height), \(precision) bits, \(sampling.map { "\($0.across)×\($0.down)" }), scans \(scans), "
            + "predictors \(predictors), transforms \(pointTransforms), restarts \(restartRows)\(hasDNL ? ", DNL" : "")"
    }

    /// A slope with noise of all bits here and there, which takes differences of every length.
    package static func noisySlope(_ component: Int, _ x: Int, _ y: Int) -> Int {
        var mixed = UInt64(component * 7919 + x * 104_729 + y * 1_299_709) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 29
        let bits = mixed >> 60
        return x * 5 + y * 3 + component * 40 + Int(mixed >> 20 & 0xFFFF) >> Int(bits)
    }

    // MARK: Planes

    private var largestSampling: (across: Int, down: Int) {
        sampling.count == 1 ? sampling[0] : (sampling.map(\.across).max()!, sampling.map(\.down).max()!)
    }

    /// The size of a component's plane.
    package func size(of component: Int) -> (width: Int, height: Int) {
        let (largest, own) = (largestSampling, sampling[component])
        return (
            (width * own.across + largest.across - 1) / largest.across,
            (height * own.down + largest.down - 1) / largest.down
        )
    }

    private func scan(of component: Int) -> Int { scans.firstIndex { $0.contains(component) }! }

    private func pointTransform(_ scan: Int) -> Int { pointTransforms[min(scan, pointTransforms.count - 1)] }

    /// The sample that is coded, without the bits that the point transform drops.
    private func coded(_ component: Int, _ x: Int, _ y: Int, _ transform: Int) -> Int {
        (sample(component, x, y) & (1 << precision - 1)) >> transform
    }

    /// A row of the image as a decoder shows it: the samples of subsampled components are repeated.
    package func row(_ y: Int, of component: Int) -> [UInt16] {
        let (largest, own) = (largestSampling, sampling[component])
        let transform = pointTransform(scan(of: component))
        return (0..<width).map { x in
            UInt16(
                coded(component, x * own.across / largest.across, y * own.down / largest.down, transform) << transform)
        }
    }

    // MARK: File

    /// The file's bytes.
    package var file: [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8] + head
        let names = identifiers ?? sampling.indices.map { UInt8($0 + 1) }
        bytes += Self.segment(
            0xC3,
            [UInt8(precision)] + Self.word(hasDNL ? 0 : height) + Self.word(width) + [UInt8(sampling.count)]
                + zip(names, sampling).flatMap { [$0, UInt8($1.across << 4 | $1.down), 0] })
        for (number, components) in scans.enumerated() {
            // Each scan has its own tables, under the numbers of the scan before.
            for table in 0..<2 {
                bytes += Self.segment(0xC4, [UInt8(table)] + Self.counts + Self.symbols(number + table))
            }
            bytes += Self.segment(0xDD, Self.word(restartRows * mcusAcross(components)))
            let predictor = predictors[min(number, predictors.count - 1)]
            bytes += Self.segment(
                0xDA,
                [UInt8(components.count)] + components.flatMap { [names[$0], UInt8($0 % 2) << 4] }
                    + [UInt8(predictor), 0, UInt8(pointTransform(number))])
            bytes += data(number, predictor: predictor)
            if hasDNL, number == 0 { bytes += Self.segment(0xDC, Self.word(height)) }
        }
        return bytes + [0xFF, 0xD9]
    }

    /// A segment with its length.
    package static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker] + word(payload.count + 2) + payload
    }

    private static func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

    /// Three codes of 2 bits, and one of each further length: 17 codes.
    private static let counts: [UInt8] = [0, 3] + [UInt8](repeating: 1, count: 14)

    /// The bit lengths 0 to 16 in an order that differs from scan to scan, so that each has short and long codes.
    private static func symbols(_ number: Int) -> [UInt8] { (0..<17).map { UInt8(($0 * 5 + number * 6 + 3) % 17) } }

    private func mcusAcross(_ components: [Int]) -> Int {
        components.count == 1
            ? size(of: components[0]).width : (width + largestSampling.across - 1) / largestSampling.across
    }

    private func data(_ number: Int, predictor: Int) -> [UInt8] {
        let components = scans[number]
        let isAlone = components.count == 1
        let rows =
            isAlone ? size(of: components[0]).height : (height + largestSampling.down - 1) / largestSampling.down
        let transform = pointTransform(number)
        var writer = BitWriter()
        for row in 0..<rows {
            if restartRows > 0, row > 0, row % restartRows == 0 { writer.restart(row / restartRows - 1) }
            for mcu in 0..<mcusAcross(components) {
                for component in components {
                    let unit = isAlone ? (across: 1, down: 1) : sampling[component]
                    let first = restartRows == 0 ? 0 : row / restartRows * restartRows * unit.down
                    for v in 0..<unit.down {
                        for h in 0..<unit.across {
                            let (x, y) = (mcu * unit.across + h, row * unit.down + v)
                            let difference =
                                coded(component, x, y, transform)
                                - prediction(component, x, y, first, transform, predictor)
                            writer.write(difference, symbols: Self.symbols(number + component % 2))
                        }
                    }
                }
            }
        }
        writer.fill()
        return writer.bytes
    }

    /// - Parameter first: The component's first row after a restart marker.
    private func prediction(
        _ component: Int, _ x: Int, _ y: Int, _ first: Int, _ transform: Int, _ predictor: Int
    ) -> Int {
        if y == first, x == 0 { return 1 << (precision - transform - 1) }
        let left = x > 0 ? coded(component, x - 1, y, transform) : 0
        if y == first { return left }
        let above = coded(component, x, y - 1, transform)
        if x == 0 { return above }
        let corner = coded(component, x - 1, y - 1, transform)
        switch predictor {
        case 1: return left
        case 2: return above
        case 3: return corner
        case 4: return left + above - corner
        case 5: return left + (above - corner) >> 1
        case 6: return above + (left - corner) >> 1
        case 7: return (left + above) >> 1
        default: return 0
        }
    }

    /// Writes bits, with a zero after each byte of ones.
    private struct BitWriter {
        var bytes: [UInt8] = []
        private var bits = 0
        private var count = 0

        mutating func write(_ difference: Int, symbols: [UInt8]) {
            // Modulo 65536, and 32768 rather than -32768.
            let wrapped = Int(Int16(truncatingIfNeeded: difference))
            let value = wrapped == -32768 ? 32768 : wrapped
            let size = Int.bitWidth - abs(value).leadingZeroBitCount
            let place = symbols.firstIndex(of: UInt8(size))!
            // 00, 01, 10, 110, 1110 …
            if place < 3 {
                append(place, 2)
            } else {
                append((1 << place) - 2, place)
            }
            if size < 16 { append(value < 0 ? value + 1 << size - 1 : value, size) }
        }

        private mutating func append(_ value: Int, _ length: Int) {
            for shift in (0..<length).reversed() {
                bits = bits << 1 | value >> shift & 1
                count += 1
                if count == 8 {
                    bytes += bits == 0xFF ? [0xFF, 0] : [UInt8(bits)]
                    (bits, count) = (0, 0)
                }
            }
        }

        /// Fills up a byte with ones.
        mutating func fill() { while count > 0 { append(1, 1) } }

        mutating func restart(_ number: Int) {
            fill()
            bytes += [0xFF, 0xD0 | UInt8(number & 7)]
        }
    }
}
