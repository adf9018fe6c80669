/// Rows of one bit per pixel in CCITT group 3, one-dimensional (ITU-T T.4, 4.1), as OS/2 has them: each row is runs of
/// white and black in turn, and may begin with an end-of-line code.
struct BMPFaxRows {
    private let width: Int
    private let height: Int
    /// The bit at which each row's runs begin.
    private var starts: [Int] = []
    /// Whether a row's runs are no codes, or don't add up to the width.
    private(set) var isDamaged = false

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Rows that were found.
    var rowCount: Int { starts.count }

    /// Finds the rows in `bytes`, which are all there are.
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

    /// Unpacks a row that was found into `row`, a bit for each pixel, black ones set.
    func unpack(_ index: Int, of bytes: [UInt8], into row: inout [UInt8]) {
        row = [UInt8](repeating: 0, count: row.count)
        guard index < starts.count else { return }
        var bit = starts[index]
        _ = Self.decode(bytes, &bit, width: width) { x, run in
            for pixel in x..<(x + run) { row[pixel >> 3] |= 0x80 >> UInt8(pixel & 7) }
        }
    }

    /// Reads one row's runs and tells of the black ones; false where they don't make a row.
    private static func decode(_ bytes: [UInt8], _ bit: inout Int, width: Int, _ black: (Int, Int) -> Void) -> Bool {
        var (x, isBlack) = (0, false)
        while x < width {
            var run = 0
            // Runs of 64 and more are made up of multiples and a rest, which is always there.
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

    /// The bits from `bit` on, zeros beyond the end.
    private static func window(_ bytes: [UInt8], _ bit: Int) -> Int {
        var value = 0
        for index in 0..<3 {
            let at = bit >> 3 + index
            value = value << 8 | (at < bytes.count ? Int(bytes[at]) : 0)
        }
        return value >> (24 - FaxRunTable.windowBitCount - bit & 7) & (1 << FaxRunTable.windowBitCount - 1)
    }

    /// The bit after end-of-line codes, eleven zeros or more and a one, if any are next.
    private static func skipEndOfLine(_ bytes: [UInt8], _ start: Int) -> Int {
        var next = start
        while true {
            var bit = next
            while bit < bytes.count * 8, bytes[bit >> 3] & 0x80 >> UInt8(bit & 7) == 0 { bit += 1 }
            guard bit - next >= 11 else { return next }
            // Nothing but zeros to the end is no code, and no row either.
            guard bit < bytes.count * 8 else { return bit }
            next = bit + 1
        }
    }
}
