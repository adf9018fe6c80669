/// The alphabets of RFC 1951, 3.2.5, as look-up tables for writing.
enum DeflateTables {
    static let literalCount = 286
    static let distanceCount = 30
    static let endOfBlock = 256

    /// For a match length less 3: its symbol less 257, and how many extra bits follow it.
    static let lengthSymbols: [UInt8] = (0..<256).map { value in
        UInt8(lengthBases.lastIndex { $0 <= value } ?? 0)
    }

    /// The lengths, less 3, at which a new length symbol begins. 258 has a symbol of its own.
    static let lengthBases: [Int] = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 255,
    ]

    static let lengthExtraBits: [UInt8] = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]

    /// The order in which a block's header lists the lengths of the code for code lengths.
    static let codeLengthOrder: [Int] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// The symbol of a distance less 1, from its leading bits.
    @inline(__always)
    static func distanceSymbol(_ distance: UInt32) -> UInt32 {
        if distance < 2 { return distance }
        let top = 31 &- UInt32(truncatingIfNeeded: distance.leadingZeroBitCount)
        return 2 &* top &+ (distance &>> (top &- 1)) & 1
    }

    /// How many extra bits follow a distance's symbol.
    @inline(__always)
    static func distanceExtraBits(_ symbol: UInt32) -> UInt32 {
        symbol < 2 ? 0 : symbol &>> 1 &- 1
    }
}
