import Foundation
import TestSupport

/// A JPEG made of given coefficients, coded symbol by symbol as the standard says it, and its samples in double precision.
struct PlainJPEG {
    var width: Int
    var height: Int
    var precision = 12
    /// Identifiers, and sampling factors of each component.
    var components: [(identifier: UInt8, across: Int, down: Int)]
    /// For each component its blocks, padded to whole MCUs, row by row; coefficients in zigzag order.
    var blocks: [[[Int]]] = []
    static let step = 3

    /// A scan of a progressive file: components, band, and bit positions.
    struct Scan {
        var components: [Int]
        var band: ClosedRange<Int>
        var high = 0
        var low = 0
    }

    static let zigzag: [Int] = (0..<64).sorted { a, b in
        let (first, second) = (a / 8 + a % 8, b / 8 + b % 8)
        if first != second { return first < second }
        return first % 2 == 0 ? a / 8 > b / 8 : a / 8 < b / 8
    }

    /// Grey for one component, else as the identifiers and the sampling factors say; random coefficients.
    init(
        width: Int, height: Int, precision: Int = 12, seed: UInt64,
        components: [(identifier: UInt8, across: Int, down: Int)] = [(1, 1, 1)]
    ) {
        (self.width, self.height, self.precision, self.components) = (width, height, precision, components)
        var random = SeededGenerator(seed)
        let levels = 1 << (precision - 1)
        for index in components.indices {
            blocks.append(
                (0..<(columns(index) * rows(index))).map { _ in
                    var block = [Int](repeating: 0, count: 64)
                    block[0] = Int.random(in: -levels...levels, using: &random) * 2 / Self.step
                    for _ in 0..<Int.random(in: 0...12, using: &random) {
                        let place = Int.random(in: 1...63, using: &random)
                        block[place] = Int.random(in: -levels...levels, using: &random) / (4 + place)
                    }
                    return block
                })
        }
    }

    private var across: Int { components.map(\.across).max()! }
    private var down: Int { components.map(\.down).max()! }
    private var mcusAcross: Int { (width + 8 * across - 1) / (8 * across) }
    private var mcusDown: Int { (height + 8 * down - 1) / (8 * down) }
    /// Blocks of a component across and down, padded.
    private func columns(_ index: Int) -> Int { mcusAcross * components[index].across }
    private func rows(_ index: Int) -> Int { mcusDown * components[index].down }

    // MARK: Writing

    /// Bits with stuffed zeros.
    private struct Bits {
        var bytes: [UInt8] = []
        private var current = 0
        private var count = 0

        mutating func put(_ value: Int, _ length: Int) {
            for place in (0..<length).reversed() {
                current = current << 1 | (value >> place & 1)
                count += 1
                if count == 8 { flush() }
            }
        }

        mutating func flush() {
            guard count > 0 else { return }
            let byte = UInt8(current << (8 - count) | (0xFF >> count))
            bytes += byte == 0xFF ? [0xFF, 0] : [byte]
            (current, count) = (0, 0)
        }

        /// A symbol of the AC table: 128 codes of 8 bits, then as many of 9.
        mutating func putSymbol(_ symbol: Int) {
            if symbol < 128 { put(symbol, 8) } else { put(256 + symbol - 128, 9) }
        }

        mutating func putValue(_ value: Int, size: Int) { put(value < 0 ? value - 1 : value, size) }
    }

    private static func size(_ value: Int) -> Int { Int.bitWidth - abs(value).leadingZeroBitCount }

    private func header(_ marker: UInt8, restartInterval: Int) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: UInt8(Self.step), count: 64)
        bytes += [0xFF, marker, 0, UInt8(8 + 3 * components.count), UInt8(precision)]
        bytes += [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        bytes += [UInt8(components.count)]
        for component in components {
            bytes += [component.identifier, UInt8(component.across << 4 | component.down), 0]
        }
        // DC: 16 codes of 5 bits.
        bytes += [0xFF, 0xC4, 0, 35, 0x00, 0, 0, 0, 0, 16] + [UInt8](repeating: 0, count: 11) + (0...15)
        let lengths: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 128, 128, 0, 0, 0, 0, 0, 0, 0]
        bytes += [0xFF, 0xC4, 1, 19, 0x10] + lengths + (0...255)
        if restartInterval > 0 { bytes += [0xFF, 0xDD, 0, 4, 0, UInt8(restartInterval)] }
        return bytes
    }

    private func scanHeader(_ scan: Scan) -> [UInt8] {
        let members: [UInt8] = scan.components.flatMap { [components[$0].identifier, 0] }
        let end: [UInt8] = [
            UInt8(scan.band.lowerBound), UInt8(scan.band.upperBound), UInt8(scan.high << 4 | scan.low),
        ]
        let start: [UInt8] = [0xFF, 0xDA, 0, UInt8(6 + members.count), UInt8(scan.components.count)]
        return start + members + end
    }

    /// The blocks of each MCU of a scan: components and indices.
    private func mcus(_ indices: [Int]) -> [[(component: Int, block: Int)]] {
        if indices.count == 1 {
            let index = indices[0]
            let width = (self.width * components[index].across + across - 1) / across
            let height = (self.height * components[index].down + down - 1) / down
            return (0..<((height + 7) / 8)).flatMap { y in
                (0..<((width + 7) / 8)).map { x in [(index, y * columns(index) + x)] }
            }
        }
        return (0..<mcusDown).flatMap { y in
            (0..<mcusAcross).map { x in
                indices.flatMap { index in
                    let (h, v) = (components[index].across, components[index].down)
                    return (0..<v).flatMap { dy in
                        (0..<h).map { dx in (index, (y * v + dy) * columns(index) + x * h + dx) }
                    }
                }
            }
        }
    }

    private func data(_ scan: Scan, restartInterval: Int, isProgressive: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        var bits = Bits()
        var predictions = [Int](repeating: 0, count: components.count)
        for (number, mcu) in mcus(scan.components).enumerated() {
            if restartInterval > 0, number > 0, number % restartInterval == 0 {
                bits.flush()
                bytes += bits.bytes + [0xFF, 0xD0 + UInt8((number / restartInterval - 1) % 8)]
                bits = Bits()
                predictions = predictions.map { _ in 0 }
            }
            for (component, index) in mcu {
                let block = blocks[component][index]
                var band = scan.band
                if band.lowerBound == 0 {
                    if scan.high > 0 {
                        bits.put(block[0] >> scan.low, 1)
                        continue
                    }
                    let difference = (block[0] >> scan.low) - predictions[component]
                    predictions[component] = block[0] >> scan.low
                    bits.put(Self.size(difference), 5)
                    bits.putValue(difference, size: Self.size(difference))
                    if isProgressive { continue }
                    band = 1...63
                }
                Self.put(block, band, scan, &bits)
            }
        }
        bits.flush()
        return bytes + bits.bytes
    }

    /// Writes a band of a block. Values are divided by a power of two towards zero.
    private static func put(_ block: [Int], _ band: ClosedRange<Int>, _ scan: Scan, _ bits: inout Bits) {
        let values = block.map { $0 / (1 << scan.low) }
        let isKnown = block.map { scan.high > 0 && $0 / (1 << scan.high) != 0 }
        var run = 0
        var corrections: [Int] = []
        for place in band {
            if isKnown[place] {
                corrections.append(abs(values[place]) & 1)
            } else if values[place] == 0 {
                run += 1
                if run == 16, band.contains(where: { $0 > place && values[$0] != 0 && !isKnown[$0] }) {
                    bits.putSymbol(0xF0)
                    for bit in corrections { bits.put(bit, 1) }
                    (run, corrections) = (0, [])
                }
            } else {
                let size = size(values[place])
                bits.putSymbol(run << 4 | size)
                bits.putValue(values[place], size: size)
                for bit in corrections { bits.put(bit, 1) }
                (run, corrections) = (0, [])
            }
        }
        if run > 0 || !corrections.isEmpty {
            bits.putSymbol(0)
            for bit in corrections { bits.put(bit, 1) }
        }
    }

    /// One scan of all components, or one for each.
    func sequential(restartInterval: Int = 0, isInterleaved: Bool = true) -> [UInt8] {
        let all = Array(components.indices)
        let scans = (isInterleaved ? [all] : all.map { [$0] }).map { Scan(components: $0, band: 0...63) }
        return header(0xC1, restartInterval: restartInterval)
            + scans.flatMap { scanHeader($0) + data($0, restartInterval: restartInterval, isProgressive: false) }
            + [0xFF, 0xD9]
    }

    /// A progressive file of the given scans.
    func progressive(_ scans: [Scan], restartInterval: Int = 0) -> [UInt8] {
        header(0xC2, restartInterval: restartInterval)
            + scans.flatMap { scanHeader($0) + data($0, restartInterval: restartInterval, isProgressive: true) }
            + [0xFF, 0xD9]
    }

    /// Spectral selection and successive approximation of every component.
    var scans: [Scan] {
        var scans = [Scan(components: Array(components.indices), band: 0...0, low: 2)]
        for index in components.indices {
            scans.append(Scan(components: [index], band: 1...5, low: 1))
            scans.append(Scan(components: [index], band: 6...63, low: 2))
        }
        scans.append(Scan(components: Array(components.indices), band: 0...0, high: 2, low: 1))
        for index in components.indices.reversed() {
            scans.append(Scan(components: [index], band: 6...63, high: 2, low: 1))
            scans.append(Scan(components: [index], band: 1...63, high: 1, low: 0))
        }
        scans.append(Scan(components: Array(components.indices), band: 0...0, high: 1, low: 0))
        return scans
    }

    // MARK: Samples

    /// A component's samples, as many as the image has pixels where its factors are the largest; not rounded.
    func samples(_ index: Int, isClamped: Bool = true) -> [[Double]] {
        let stride = columns(index)
        var samples = [[Double]](repeating: [Double](repeating: 0, count: stride * 8), count: rows(index) * 8)
        for (number, block) in blocks[index].enumerated() {
            let values = Self.transformed(block)
            for y in 0..<8 {
                for x in 0..<8 {
                    let value = values[8 * y + x] + Double(1 << (precision - 1))
                    samples[number / stride * 8 + y][number % stride * 8 + x] =
                        isClamped ? min(max(value, 0), Double(1 << precision - 1)) : value
                }
            }
        }
        return samples
    }

    private static let cosines: [Double] = (0..<64).map { index in
        let (place, frequency) = (Double(index / 8), Double(index % 8))
        let scale: Double = frequency == 0 ? 0.5.squareRoot() / 2 : 0.5
        return scale * cos((2 * place + 1) * frequency * .pi / 16)
    }

    /// T.81, A.3.3, in natural order.
    private static func transformed(_ block: [Int]) -> [Double] {
        var values = [Double](repeating: 0, count: 64)
        for (place, value) in block.enumerated() where value != 0 {
            let (v, u) = (zigzag[place] / 8, zigzag[place] % 8)
            for y in 0..<8 {
                for x in 0..<8 { values[8 * y + x] += Double(value * step) * cosines[8 * y + v] * cosines[8 * x + u] }
            }
        }
        return values
    }
}
