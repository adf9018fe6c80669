/// Unpacks GIF's LZW codes (GIF89a, appendix F), which have increasing width, lowest bits first.
///
/// Accepts codes in pieces of any size. Each string in the table is stored as its last one to eight bytes in a word,
/// plus the code of the string before them. Strings are written from the end, eight bytes at a time.
struct GIFLZWDecoder {
    /// The reason why `decode` returned.
    enum Stop: Equatable {
        /// The output has the requested number of bytes.
        case full
        /// All input has been used.
        case needsInput
        /// The end code was read.
        case ended
        /// A code was read that isn't in the table.
        case corrupt
    }

    /// The number of extra bytes that `decode` may write: the longest string, and the rest of a word.
    static let overrun = (1 << 12) + 8

    private struct Entry {
        /// The last one to eight bytes: what is left of the string after all full groups of eight before them.
        var suffix: UInt64
        /// The code of the bytes before them.
        var prefix: UInt16
        /// The length of the string minus one.
        var last: UInt16
    }

    private var entries: [Entry]
    private let clearCode: Int
    private let initialWidth: Int
    private var width: Int
    /// The code of the next string.
    private var next: Int
    /// The previous code, or -1 after a clear code, and the first byte of its string.
    private var previous = -1
    private var previousFirst: UInt64 = 0
    private var bits: UInt64 = 0
    private var bitCount = 0
    private var stop: Stop?

    /// A decoder for indices of `minimumCodeSize` bits, 1 to 8.
    init(minimumCodeSize: Int) {
        precondition((1...8).contains(minimumCodeSize))
        clearCode = 1 << minimumCodeSize
        initialWidth = minimumCodeSize + 1
        width = initialWidth
        next = clearCode + 2
        entries = [Entry](repeating: Entry(suffix: 0, prefix: 0, last: 0), count: 1 << 12)
        for value in 0..<clearCode { entries[value].suffix = UInt64(value) }
    }

    /// Unpacks `input` from `position` into `output` from `filled` on, until `filled` reaches `wanted`.
    ///
    /// May write up to `overrun` bytes more, for which `output` must have room.
    mutating func decode(
        _ input: RawSpan, from position: inout Int, to output: inout MutableRawSpan, filled: inout Int, wanted: Int
    ) -> Stop {
        if let stop { return stop }
        precondition(output.byteCount - Self.overrun >= wanted)
        // Local copies for the loop: accessing properties or arrays for each code costs more than decoding it.
        var (width, next, previous, previousFirst) = (width, next, previous, previousFirst)
        var (bits, bitCount, at, o) = (bits, bitCount, position, filled)
        let (clearCode, initialWidth) = (clearCode, initialWidth)
        var mask = (1 << width) - 1
        var result = Stop.full
        do {
            var table = entries.mutableSpan
            let end = input.byteCount
            while o < wanted {
                if bitCount < width {
                    if at + 8 <= end {
                        // In bounds by the check above; any bits form a valid integer.
                        let word = UInt64(
                            littleEndian: input.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
                        bits |= word << UInt64(bitCount)
                        let byteCount = (63 - bitCount) >> 3
                        at += byteCount
                        bitCount += byteCount << 3
                        // Clear the bits above, which will be loaded again.
                        bits &= ~0 >> UInt64(64 - bitCount)
                    } else {
                        while bitCount < width, at < end {
                            let byte = input.unsafeLoadUnaligned(fromByteOffset: at, as: UInt8.self)
                            bits |= UInt64(byte) << UInt64(bitCount)
                            at += 1
                            bitCount += 8
                        }
                        guard bitCount >= width else {
                            result = .needsInput
                            break
                        }
                    }
                }
                let code = Int(truncatingIfNeeded: bits) & mask
                bits >>= UInt64(width)
                bitCount -= width

                if code < clearCode {
                    output.storeBytes(of: UInt8(truncatingIfNeeded: code), toByteOffset: o, as: UInt8.self)
                    o += 1
                    if previous >= 0, next < 4096 {
                        Self.add(&table, next, previous, UInt64(code))
                        next += 1
                        if next > mask, width < 12 {
                            width += 1
                            mask = mask << 1 | 1
                        }
                    }
                    previousFirst = UInt64(code)
                } else if code == clearCode {
                    width = initialWidth
                    mask = (1 << width) - 1
                    next = clearCode + 2
                    previous = -1
                    continue
                } else if code == clearCode + 1 {
                    result = .ended
                    break
                } else {
                    guard previous >= 0, code < next || (code == next && next < 4096) else {
                        result = .corrupt
                        break
                    }
                    if code == next { Self.add(&table, next, previous, previousFirst) }
                    var entry = table[code]
                    let count = Int(entry.last) + 1
                    var place = o + Int(entry.last & ~7)
                    output.storeBytes(of: entry.suffix.littleEndian, toByteOffset: place, as: UInt64.self)
                    while place > o {
                        place -= 8
                        entry = table[Int(entry.prefix)]
                        output.storeBytes(of: entry.suffix.littleEndian, toByteOffset: place, as: UInt64.self)
                    }
                    o += count
                    let first = entry.suffix & 0xFF
                    if next < 4096 {
                        if code < next { Self.add(&table, next, previous, first) }
                        next += 1
                        if next > mask, width < 12 {
                            width += 1
                            mask = mask << 1 | 1
                        }
                    }
                    previousFirst = first
                }
                previous = code
            }
        }
        (self.width, self.next, self.previous, self.previousFirst) = (width, next, previous, previousFirst)
        (self.bits, self.bitCount, position, filled) = (bits, bitCount, at, o)
        if result == .ended || result == .corrupt { stop = result }
        return result
    }

    /// Adds the string of `previous` followed by `byte` to the table as `code`.
    @inline(__always)
    private static func add(_ table: inout MutableSpan<Entry>, _ code: Int, _ previous: Int, _ byte: UInt64) {
        let before = table[previous]
        let last = before.last &+ 1
        if last & 7 != 0 {
            table[code] = Entry(
                suffix: before.suffix | byte << UInt64(8 * (last & 7)), prefix: before.prefix, last: last)
        } else {
            table[code] = Entry(suffix: byte, prefix: UInt16(truncatingIfNeeded: previous), last: last)
        }
    }
}
