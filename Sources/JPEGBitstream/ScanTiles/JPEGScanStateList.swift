/// States of a scan, in order.
///
/// A state takes two words where it carries DC predictions, otherwise one: a run of blocks has 15 bits, and no file has 2⁴⁸ bits.
struct JPEGScanStateList: Sendable {
    private var words: [UInt64] = []
    private let isWide: Bool

    /// A list for `count` states of a scan.
    init(_ cursor: JPEGScanCursor, count: Int) {
        isWide = cursor.isNeeded
        words.reserveCapacity(isWide ? 2 * count : count)
    }

    /// The bytes for a state of a scan.
    static func byteCount(_ cursor: JPEGScanCursor) -> Int { cursor.isNeeded ? 16 : 8 }

    var count: Int { isWide ? words.count / 2 : words.count }

    mutating func append(_ state: JPEGScanState) {
        words.append(isWide ? state.position : state.position << 16 | state.carry & 0xFFFF)
        if isWide { words.append(state.carry) }
    }

    subscript(index: Int) -> JPEGScanState {
        isWide
            ? JPEGScanState(position: words[2 * index], carry: words[2 * index + 1])
            : JPEGScanState(position: words[index] >> 16, carry: words[index] & 0xFFFF)
    }
}
