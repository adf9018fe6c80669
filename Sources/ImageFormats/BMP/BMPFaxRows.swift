/// Rows of one bit per pixel in one-dimensional CCITT group 3 (ITU-T T.4, 4.1), as in OS/2's files: each row is
/// alternating runs of white and black, and may begin with an end-of-line code.
struct BMPFaxRows {
    private let width: Int
    private let height: Int
    /// The bit at which each row's runs begin.
    private var starts: [Int] = []
    /// Whether a row has an invalid code, or runs that don't add up to the width.
    private(set) var isDamaged = false

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of rows found.
    var rowCount: Int { starts.count }

    /// Finds the rows in `bytes`, which must be complete.
    mutating func scan(_ bytes: [UInt8]) {
        var bit = 0
        while starts.count < height {
            bit = Self.skipEndOfLine(bytes, bit)
            guard bit < bytes.count * 8 else { return }
            let start = bit
            guard Self.decode(bytes, &bit, width: width, { _, _ in }) else {
                isDamaged = bit < bytes.count * 8
                return
            }
            starts.append(start)
        }
    }

    /// Unpacks a row into one bit for each pixel, 1 for black.
    func unpack(_ index: Int, of bytes: [UInt8], into row: inout [UInt8]) {
        row = [UInt8](repeating: 0, count: row.count)
        guard index < starts.count else { return }
        var bit = starts[index]
        _ = Self.decode(bytes, &bit, width: width) { x, run in
            for pixel in x..<(x + run) { row[pixel >> 3] |= 0x80 >> UInt8(pixel & 7) }
        }
    }

    /// Decodes a row's runs, and calls `black` for each black one; false if they are invalid.
    private static func decode(_ bytes: [UInt8], _ bit: inout Int, width: Int, _ black: (Int, Int) -> Void) -> Bool {
        var (x, isBlack) = (0, false)
        while x < width {
            var run = 0
            // A run is any number of multiples of 64, then a terminating code for 0 to 63.
            while true {
                guard let code = (isBlack ? FaxRunTable.black : .white).code(in: window(bytes, bit)),
                    bit + code.length <= bytes.count * 8
                else { return false }
                bit += code.length
                run += code.run
                guard run <= width - x else { return false }
                if code.run < 64 { break }
            }
            if isBlack, run > 0 { black(x, run) }
            x += run
            isBlack.toggle()
        }
        return true
    }

    /// The `FaxRunTable.windowBitCount` bits from `bit` on, with zeros beyond the end.
    private static func window(_ bytes: [UInt8], _ bit: Int) -> Int {
        var value = 0
        for index in 0..<3 {
            let at = bit >> 3 + index
            value = value << 8 | (at < bytes.count ? Int(bytes[at]) : 0)
        }
        return value >> (24 - FaxRunTable.windowBitCount - bit & 7) & (1 << FaxRunTable.windowBitCount - 1)
    }

    /// Skips end-of-line codes, each at least eleven zeros and a one; returns the bit after them.
    private static func skipEndOfLine(_ bytes: [UInt8], _ start: Int) -> Int {
        var next = start
        while true {
            var bit = next
            while bit < bytes.count * 8, bytes[bit >> 3] & 0x80 >> UInt8(bit & 7) == 0 { bit += 1 }
            guard bit - next >= 11 else { return next }
            // Zeros up to the end are neither a code nor a row.
            guard bit < bytes.count * 8 else { return bit }
            next = bit + 1
        }
    }
}

/// The codes for runs of white and of black (ITU-T T.4, tables 2, 3a and 3b), looked up by a window of 13 bits.
struct FaxRunTable {
    /// The length of the longest code, in bits.
    static let windowBitCount = 13

    /// For each window, the code's length in the low four bits and the run above them; 0 for an invalid code.
    private let entries: [UInt16]

    /// Returns the run that the window's first bits encode, and the number of those bits; nil for an invalid code.
    func code(in window: Int) -> (run: Int, length: Int)? {
        let entry = entries[window]
        return entry == 0 ? nil : (Int(entry >> 4), Int(entry & 15))
    }

    private init(terminating: String, makeUp: String) {
        var entries = [UInt16](repeating: 0, count: 1 << Self.windowBitCount)
        // Runs of 0 to 63, then multiples of 64.
        let codes = (terminating + " " + makeUp + " " + Self.extendedMakeUp).split(whereSeparator: \.isWhitespace)
        for (index, code) in codes.enumerated() {
            let run = index < 64 ? index : (index - 63) * 64
            let free = Self.windowBitCount - code.count
            let first = Int(code, radix: 2)! << free
            for window in first..<(first + (1 << free)) { entries[window] = UInt16(run << 4 | code.count) }
        }
        self.entries = entries
    }

    static let white = FaxRunTable(
        terminating: """
            00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010
            101011 0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010
            00000011 00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001
            00101010 00101011 00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100
            01010101 00100100 00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011
            00110100
            """,
        makeUp: """
            11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101
            011010010 011010011 011010100 011010101 011010110 011010111 011011000 011011001 011011010 011011011
            010011000 010011001 010011010 011000 010011011
            """)

    static let black = FaxRunTable(
        terminating: """
            0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111
            000011000 0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000
            00000010111 00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001
            000001101010 000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111
            000001101100 000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111
            000001100100 000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111
            000000101000 000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111
            """,
        makeUp: """
            0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100
            0000001101101 0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011
            0000001110100 0000001110101 0000001110110 0000001110111 0000001010010 0000001010011 0000001010100
            0000001010101 0000001011010 0000001011011 0000001100100 0000001100101
            """)

    /// The codes for runs of 1792 to 2560, of either colour.
    private static let extendedMakeUp = """
        00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110
        000000010111 000000011100 000000011101 000000011110 000000011111
        """
}
