internal import Raster

/// Up to 256 colours: finds the index of one, and collects those that are new.
struct ColorTable {
    private static let slotCount = 1024
    /// In each slot the index of a colour and one more, or 0.
    private var slots = [UInt16](repeating: 0, count: slotCount)
    private(set) var colors: [RGBA8] = []

    /// A table of these colours, at most 256, in this order.
    init(_ colors: [RGBA8] = []) {
        for color in colors { _ = insert(color) }
    }

    @inline(__always)
    private static func hash(_ color: RGBA8) -> Int {
        let word = UInt32(color.red) | UInt32(color.green) << 8 | UInt32(color.blue) << 16 | UInt32(color.alpha) << 24
        return Int((word &* 0x9E37_79B1) >> 22)
    }

    /// Adds a colour unless it is there; false when it would be the 257th.
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

    /// The index of a colour that is there.
    func index(of color: RGBA8) -> UInt8 {
        var slot = Self.hash(color)
        while colors[Int(slots[slot]) - 1] != color { slot = (slot + 1) % Self.slotCount }
        return UInt8(slots[slot] - 1)
    }
}
