internal import Raster

/// A palette of up to 256 colours, with a hash table for looking up indices.
struct ColorTable {
    private static let slotCount = 1024
    /// For each slot, a colour's index plus 1; 0 if it is empty.
    private var slots = [UInt16](repeating: 0, count: slotCount)
    private(set) var colors: [RGBA8] = []

    /// Creates a table of at most 256 colours, in this order.
    init(_ colors: [RGBA8] = []) {
        for color in colors { _ = insert(color) }
    }

    @inline(__always)
    private static func hash(_ color: RGBA8) -> Int {
        let word = UInt32(color.red) | UInt32(color.green) << 8 | UInt32(color.blue) << 16 | UInt32(color.alpha) << 24
        return Int((word &* 0x9E37_79B1) >> 22)
    }

    /// Adds a colour unless it is present; false if the table is full.
    mutating func insert(_ color: RGBA8) -> Bool {
        var slot = Self.hash(color)
        while slots[slot] != 0 {
            if colors[Int(slots[slot]) - 1] == color { return true }
            slot = (slot + 1) % Self.slotCount
        }
        guard colors.count < 256 else { return false }
        colors.append(color)
        slots[slot] = UInt16(colors.count)
        return true
    }

    /// Returns the index of a colour, which must be present.
    func index(of color: RGBA8) -> UInt8 {
        var slot = Self.hash(color)
        while colors[Int(slots[slot]) - 1] != color { slot = (slot + 1) % Self.slotCount }
        return UInt8(slots[slot] - 1)
    }
}
