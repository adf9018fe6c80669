/// Packs indices into GIF's LZW codes (GIF89a, appendix F).
struct GIFLZWEncoder {
    /// The treatment of a full table of strings.
    enum Clearing: CaseIterable {
        /// Clears it.
        case atOnce
        /// Keeps it to the end.
        case never
        /// Clears it when codes begin to stand for fewer pixels.
        case whenWorse
    }

    private static let slotBits = 14
    private static let emptySlot = UInt32.max
    /// The number of codes after which a full table is judged.
    private static let windowCount = 256

    private let clearCode: Int
    private let initialWidth: Int
    private let clearing: Clearing

    /// An encoder for indices of `minimumCodeSize` bits, 2 to 8.
    init(minimumCodeSize: Int, clearing: Clearing = .atOnce) {
        precondition((2...8).contains(minimumCodeSize))
        clearCode = 1 << minimumCodeSize
        initialWidth = minimumCodeSize + 1
        self.clearing = clearing
    }

    /// The codes for `indices`, which must not be empty and must fit in the minimum code size.
    ///
    /// - Parameters:
    ///   - optional: The pixels that may have the index `other` instead, as long strings need it; empty for none.
    ///   - other: The index that leaves the canvas unchanged.
    func encode(_ indices: Span<UInt8>, optional: [Bool] = [], other: UInt8 = 0) -> [UInt8] {
        var output = GIFBitWriter(reserving: indices.count / 2)
        // Each entry has the code of a string without its last byte, that byte, and its own code: 12, 8 and 12 bits.
        var slots = [UInt32](repeating: Self.emptySlot, count: 1 << Self.slotBits)
        var width = initialWidth
        var next = clearCode + 2
        var judge = Judge()
        let hasChoice = !optional.isEmpty
        output.write(clearCode, width: width)
        var prefix = Int(hasChoice && optional[0] ? other : indices[0])
        for position in 1..<indices.count {
            var byte = Int(indices[position])
            var (slot, entry) = Self.find(prefix, byte, slots)
            if hasChoice, optional[position], byte != Int(other) {
                let (otherSlot, otherEntry) = Self.find(prefix, Int(other), slots)
                // A string that is known goes on; a new one has the index that more strings will have.
                if otherEntry != Self.emptySlot || entry == Self.emptySlot {
                    (byte, slot, entry) = (Int(other), otherSlot, otherEntry)
                }
            }
            if entry != Self.emptySlot {
                prefix = Int(entry & 0xFFF)
                continue
            }
            output.write(prefix, width: width)
            if next < 4096 {
                slots[slot] = UInt32(truncatingIfNeeded: prefix << 8 | byte) << 12 | UInt32(truncatingIfNeeded: next)
                if next >= 1 << width { width += 1 }
                next += 1
                judge.begin(at: position)
            } else if clearing == .atOnce || clearing == .whenWorse && judge.isWorse(at: position) {
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

    /// The slot of a string with one more byte, and its entry; an empty slot if it is unknown.
    @inline(__always)
    private static func find(_ prefix: Int, _ byte: Int, _ slots: [UInt32]) -> (slot: Int, entry: UInt32) {
        let key = UInt32(truncatingIfNeeded: prefix << 8 | byte)
        var slot = Int((key &* 0x9E37_79B1) >> UInt32(32 - slotBits))
        var entry = slots[slot]
        while entry >> 12 != key, entry != emptySlot {
            slot = (slot + 1) & ((1 << slotBits) - 1)
            entry = slots[slot]
        }
        return (slot, entry)
    }

    /// Counts the pixels for which the codes of a full table stand.
    private struct Judge {
        private var start = 0
        private var count = 0
        private var best = 0

        /// Notes that the table isn't full yet.
        mutating func begin(at position: Int) { (start, count, best) = (position, 0, 0) }

        /// Counts a code, and returns whether the last ones stand for clearly fewer pixels than the best.
        mutating func isWorse(at position: Int) -> Bool {
            count += 1
            guard count == windowCount else { return false }
            let pixels = position - start
            (start, count, best) = (position, 0, max(best, pixels))
            return pixels * 10 < best * 8
        }
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
