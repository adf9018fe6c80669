import Testing

import JPEGBitstream

@Suite("JPEG bit reader")
struct BitReaderTests {
    /// All bits that a reader gives, taken in steps of `length`.
    static func bits(_ bytes: [UInt8], by length: Int) -> [Bool] {
        var reader = JPEGBitReader(bytes.span.bytes)
        var found: [Bool] = []
        while true {
            reader.fill()
            let step = min(length, reader.count)
            if step <= 0 { return found }
            for index in 0..<step { found.append(reader.bits >> UInt64(63 - index) & 1 == 1) }
            reader.drop(step)
        }
    }

    static let stuffed: [([UInt8], [UInt8])] = [
        ([], []), ([0x12], [0x12]), ([0xFF, 0], [0xFF]), ([0xFF], []), ([1, 0xFF], [1]), ([1, 0xFF, 0xFF, 0], [1]),
        ([0xFF, 0, 0xFF, 0, 0xFF, 0], [0xFF, 0xFF, 0xFF]), ([1, 2, 0xFF, 0xD9, 3], [1, 2]),
        ([1, 2, 3, 4, 5, 6, 7, 0xFF, 0, 8, 9], [1, 2, 3, 4, 5, 6, 7, 0xFF, 8, 9]),
        (
            [0, 0, 0, 0, 0, 0, 0, 0, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFF],
            [0, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0xFE, count: 8)
        ),
        (Array(0...254) + [0xFF, 0] + Array(0...254), Array(0...255) + Array(0...254)),
    ]

    @Test("Stuffed zeros are removed, and a marker ends the bits", arguments: stuffed.indices)
    func unstuffing(index: Int) {
        let (bytes, expected) = Self.stuffed[index]
        let bits: [Bool] = expected.flatMap { byte -> [Bool] in (0..<8).map { byte >> (7 - $0) & 1 == 1 } }
        for length in 1...32 { #expect(Self.bits(bytes, by: length) == bits, "steps of \(length)") }
    }

    @Test("The position counts stuffed zeros")
    func positions() {
        var random = SeededGenerator(state: 4)
        for density in 1...8 {
            var (bytes, places): ([UInt8], [Int]) = ([], [])
            for _ in 0..<500 {
                places.append(bytes.count)
                switch Int.random(in: 0..<8, using: &random) {
                case 0..<density / 2: bytes += [0xFF, 0]
                case density / 2..<density: bytes.append(0)
                default: bytes.append(.random(in: 0...254, using: &random))
                }
            }
            for start in 0..<10 {
                var reader = JPEGBitReader(bytes.span.bytes, from: places[start])
                var bit = 8 * start
                while bit < 8 * 490 {
                    reader.fill()
                    #expect(reader.position == 8 * places[bit / 8] + bit % 8)
                    let length = Int.random(in: 1...32, using: &random)
                    reader.drop(length)
                    bit += length
                }
            }
        }
    }

    @Test("Bits beyond the end are zeros, and counted")
    func beyond() {
        let bytes: [UInt8] = [0xAB, 0xFF, 0xD9]
        var reader = JPEGBitReader(bytes.span.bytes)
        reader.fill()
        #expect(reader.count == 8 && reader.bits >> 56 == 0xAB)
        for _ in 0..<100 {
            reader.drop(31)
            reader.fill()
            #expect(reader.bits == 0)
        }
        #expect(reader.count == 8 - 3100 && reader.offset == 1)
    }

    @Test("A restart marker is passed in order, after the last byte's bits")
    func restarts() {
        let bytes: [UInt8] = [0x80, 0xFF, 0xD3, 0x7F]
        for number in 0..<8 {
            var reader = JPEGBitReader(bytes.span.bytes)
            reader.fill()
            reader.drop(3)
            let isPassed = reader.restart(number)
            #expect(isPassed == (number == 3))
            guard isPassed else { continue }
            reader.fill()
            #expect(reader.count == 8 && reader.bits >> 56 == 0x7F)
        }
    }

    @Test("A restart marker may come early, late or not at all")
    func noRestart() {
        for (bytes, drop) in [
            ([0x80, 0xFF, 0xD0], 0), ([0x80, 0xFF, 0xD0], 9), ([0x80], 3), ([0x80, 0xFF], 3), ([], 0),
        ]
            as [([UInt8], Int)]
        {
            var reader = JPEGBitReader(bytes.span.bytes)
            reader.fill()
            reader.drop(drop)
            let isPassed = reader.restart(0)
            #expect(!isPassed)
        }
    }
}
