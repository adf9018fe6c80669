import JPEGBitstream
import Testing

/// Decodes symbol by symbol and bit by bit, as the standard says it, with no thought of speed.
struct PlainDecoder {
    /// Where an MCU begins.
    struct Place {
        let position: UInt64
        let predictions: [Int]
    }

    private let file: [UInt8]
    private let structure: JPEGStructure
    private let frame: JPEGFrame
    private let scan: JPEGScan
    /// For each class and destination, a symbol for each length and code.
    private var tables: [UInt8: [[UInt8]: UInt8]] = [:]
    private var offset: Int
    private var bit = 0

    init(_ file: [UInt8]) throws {
        self.file = file
        structure = JPEGStructure(of: file.span.bytes)
        frame = try #require(structure.frame)
        scan = try #require(structure.scans.first)
        offset = scan.dataOffset
        for segment in structure.segments where segment.marker == .huffmanTables {
            var rest = file[segment.payload]
            while let name = rest.popFirst() {
                let counts = rest.prefix(16)
                rest = rest.dropFirst(16)
                var code: [UInt8] = []
                for count in counts {
                    code.append(0)
                    for _ in 0..<count {
                        tables[name, default: [:]][code] = rest.popFirst()
                        Self.increment(&code)
                    }
                }
            }
        }
    }

    /// Adds one to a number of binary digits, which may run over.
    private static func increment(_ code: inout [UInt8]) {
        for place in code.indices.reversed() {
            code[place] ^= 1
            if code[place] == 1 { return }
        }
    }

    /// Where each MCU begins.
    func places() throws -> [Place] {
        var decoder = self
        return try decoder.decode()
    }

    private mutating func decode() throws -> [Place] {
        let isGray = frame.components.count == 1
        let across = isGray ? 1 : Int(frame.components.map(\.horizontalSampling).max() ?? 1)
        let down = isGray ? 1 : Int(frame.components.map(\.verticalSampling).max() ?? 1)
        let columns = (frame.width + 8 * across - 1) / (8 * across)
        let rows = (frame.height + 8 * down - 1) / (8 * down)
        var places: [Place] = []
        var predictions = frame.components.map { _ in 0 }
        for number in 0..<columns * rows {
            if scan.restartInterval > 0, number > 0, number % scan.restartInterval == 0 {
                if bit > 0 { step() }
                while file[offset + 1] == 0xFF { offset += 1 }
                try #require(
                    file[offset] == 0xFF && file[offset + 1] == 0xD0 + UInt8((number / scan.restartInterval - 1) % 8))
                offset += 2
                predictions = frame.components.map { _ in 0 }
            }
            places.append(Place(position: UInt64(offset * 8 + bit), predictions: predictions))
            for (index, component) in frame.components.enumerated() {
                let blocks = isGray ? 1 : Int(component.horizontalSampling * component.verticalSampling)
                for _ in 0..<blocks { predictions[index] += try block(scan.components[index]) }
            }
        }
        return places
    }

    /// Goes to the next byte.
    private mutating func step() {
        offset += file[offset] == 0xFF ? 2 : 1
        bit = 0
    }

    private mutating func nextBit() -> UInt8 {
        let value = file[offset] >> UInt8(7 - bit) & 1
        bit += 1
        if bit == 8 { step() }
        return value
    }

    private mutating func symbol(_ table: UInt8) throws -> UInt8 {
        let codes = try #require(tables[table])
        var code: [UInt8] = []
        while code.count < 16 {
            code.append(nextBit())
            if let symbol = codes[code] { return symbol }
        }
        throw Failure()
    }

    private struct Failure: Error {}

    /// Decodes a block; gives its DC difference.
    private mutating func block(_ component: JPEGScan.Component) throws -> Int {
        let size = try symbol(component.dcTable)
        var difference = 0
        for _ in 0..<size { difference = difference * 2 + Int(nextBit()) }
        if size > 0, difference < 1 << (size - 1) { difference -= 1 << size - 1 }
        var coefficient = 1
        while coefficient < 64 {
            let symbol = try symbol(16 + component.acTable)
            if symbol == 0 { break }
            for _ in 0..<symbol & 15 { _ = nextBit() }
            coefficient += Int(symbol >> 4) + 1
        }
        return difference
    }
}
