/// Reads the bits of a unit's payload (ITU-T H.264 and H.265, 7.2 and 9).
struct NALBitReader {
    private let bytes: [UInt8]
    private var position = 0

    /// - Parameter payload: Bytes without emulation prevention bytes.
    init(_ payload: [UInt8]) { bytes = payload }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count * 8 - position else { return false }
        position += count
        return true
    }

    /// Reads an unsigned number of `count` bits, at most 32.
    mutating func read(_ count: Int) -> Int? {
        guard count <= bytes.count * 8 - position else { return nil }
        var value = 0
        for _ in 0..<count {
            value = value << 1 | Int(bytes[position / 8] >> UInt8(7 - position % 8) & 1)
            position += 1
        }
        return value
    }

    mutating func readFlag() -> Bool? { read(1).map { $0 == 1 } }

    /// Reads a number in exponential Golomb code, below 2³³.
    mutating func readExponential() -> Int? {
        var zeros = 0
        while let bit = read(1), bit == 0 { zeros += 1 }
        guard zeros <= 32, let rest = read(zeros) else { return nil }
        return (1 << zeros) - 1 + rest
    }

    /// Reads a number with a sign in exponential Golomb code: 0, 1, -1, 2, -2.
    mutating func readSigned() -> Int? {
        readExponential().map { $0 & 1 == 1 ? ($0 + 1) / 2 : -$0 / 2 }
    }
}
