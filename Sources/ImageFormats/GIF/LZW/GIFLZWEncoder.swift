/// Packs indices into GIF's LZW codes (GIF89a, appendix F). Clears the table when it is full.
struct GIFLZWEncoder {
    private static let slotBits = 14
    private static let emptySlot = UInt32.max

    private let clearCode: Int
    private let initialWidth: Int

    /// An encoder for indices of `minimumCodeSize` bits, 2 to 8.
    init(minimumCodeSize: Int) {
        precondition((2...8).contains(minimumCodeSize))
        clearCode = 1 << minimumCodeSize
        initialWidth = minimumCodeSize + 1
    }

    /// The codes for `indices`, which must not be empty and must fit in the minimum code size.
    func encode(_ indices: Span<UInt8>) -> [UInt8] {
        var output = GIFBitWriter(reserving: indices.count / 2)
        // Each entry has the code of a string without its last byte, that byte, and its own code: 12, 8 and 12 bits.
        var slots = [UInt32](repeating: Self.emptySlot, count: 1 << Self.slotBits)
        var width = initialWidth
        var next = clearCode + 2
        output.write(clearCode, width: width)
        var prefix = Int(indices[0])
        for position in 1..<indices.count {
            let byte = Int(indices[position])
            let key = UInt32(truncatingIfNeeded: prefix << 8 | byte)
            var slot = Int((key &* 0x9E37_79B1) >> UInt32(32 - Self.slotBits))
            var entry = slots[slot]
            while entry >> 12 != key, entry != Self.emptySlot {
                slot = (slot + 1) & ((1 << Self.slotBits) - 1)
                entry = slots[slot]
            }
            if entry != Self.emptySlot {
                prefix = Int(entry & 0xFFF)
                continue
            }
            output.write(prefix, width: width)
            if next < 4096 {
                slots[slot] = key << 12 | UInt32(truncatingIfNeeded: next)
                if next >= 1 << width { width += 1 }
                next += 1
            } else {
                output.write(clearCode, width: width)
                for index in slots.indices { slots[index] = Self.emptySlot }
                width = initialWidth
                next = clearCode + 2
            }
            prefix = byte
        }
        output.write(prefix, width: width)
        // The decoder adds a string for the last code too, though it is never used.
        if next >= 1 << width, width < 12 { width += 1 }
        output.write(clearCode + 1, width: width)
        return output.finished()
    }
}

/// Writes codes of any width, lowest bits first.
struct GIFBitWriter {
    private var bytes: [UInt8] = []
    private var bits: UInt64 = 0
    private var count = 0

    init(reserving byteCount: Int) { bytes.reserveCapacity(byteCount) }

    @inline(__always)
    mutating func write(_ code: Int, width: Int) {
        bits |= UInt64(truncatingIfNeeded: code) << UInt64(count)
        count += width
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            count -= 8
        }
    }

    /// All bytes, the last one padded with zeros.
    mutating func finished() -> [UInt8] {
        if count > 0 { bytes.append(UInt8(truncatingIfNeeded: bits)) }
        return bytes
    }
}
