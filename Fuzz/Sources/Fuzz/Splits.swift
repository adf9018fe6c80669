/// Ranges that cover an input in pieces, whose lengths follow from its bytes: the same input splits the same way.
struct Splits {
    private let count: Int
    private var state: UInt64
    private var position = 0

    init(_ input: [UInt8]) {
        count = input.count
        // FNV-1a, over the end as well as the beginning.
        state = 0xcbf2_9ce4_8422_2325
        for byte in input.prefix(64) + input.suffix(64) { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// The next piece: mostly a few bytes, at times many; nil at the end.
    mutating func next() -> Range<Int>? {
        guard position < count else { return nil }
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let length = Int(state >> 60) < 12 ? Int(state >> 33 & 31) : Int(state >> 33 & 4095)
        let start = position
        position = min(count, start + 1 + length)
        return start..<position
    }
}
