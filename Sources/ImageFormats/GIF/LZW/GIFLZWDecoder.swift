/// Unpacks LZW codes as GIF has them (GIF89a, appendix F): of growing width, the lowest bits first.
///
/// Codes come in pieces of any size. A string of the table is kept as its last one to eight bytes in a word and the
/// code of what stands before them, so that it is written eight bytes at a time and from its end.
struct GIFLZWDecoder {
    /// Why `decode` returned.
    enum Stop: Equatable {
        /// The output has as many bytes as were asked for.
        case full
        /// The input is used up.
        case needsInput
        /// The code that ends the data was read.
        case ended
        /// A code that the table doesn't have was read.
        case corrupt
    }

    /// How many bytes behind those asked for `decode` may write: the longest string, and the rest of a word.
    static let overrun = (1 << 12) + 8

    private struct Entry {
        /// The last bytes, as many as are left when the string is cut in eights.
        var suffix: UInt64
        /// The code of the bytes before them.
        var prefix: UInt16
        /// The number of bytes, less one.
        var last: UInt16
    }

    private var entries: [Entry]
    private let clearCode: Int
    private let initialWidth: Int
    private var width: Int
    /// The code that the next string gets.
    private var next: Int
    /// The code before, and the first byte of its string; none after a clear code.
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

    /// Unpacks codes from `input`, from `position` on, to `output`, from `filled` on, until that has `wanted` bytes.
    ///
    /// There may be up to `overrun` bytes more, for which there must be room.
    mutating func decode(
        _ input: RawSpan, from position: inout Int, to output: inout MutableRawSpan, filled: inout Int, wanted: Int
    ) -> Stop {
        if let stop { return stop }
        precondition(output.byteCount - Self.overrun >= wanted)
        // In locals for the loop: a class or an array looked up for every code costs more than the code.
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
                        // In bounds by the line above; any bits are a number.
                        let word = UInt64(
                            littleEndian: input.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
                        bits |= word << UInt64(bitCount)
                        let byteCount = (63 - bitCount) >> 3
                        at += byteCount
                        bitCount += byteCount << 3
                        // The bits above were or-ed in as well; they will be again.
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

    /// Makes the string of `previous` and one byte more that of `code`.
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
