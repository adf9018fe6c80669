internal import Raster

/// Reads the decimal samples of plain files into rows as raw files store them; the bytes may end anywhere in between.
struct PNMPlainReader {
    /// The row being read.
    private(set) var row: [UInt8]
    private let header: PNMHeader
    /// The samples read so far.
    private var sampleCount = 0
    private var number: Int?
    private var isInComment = false

    init(_ header: PNMHeader) {
        self.header = header
        row = [UInt8](repeating: 0, count: header.rowByteCount)
    }

    /// Reads the rest of the next row from `bytes`, starting at `position`, which advances past the bytes used.
    /// - Parameters:
    ///   - isWhole: Whether no more bytes follow, so that their end is a number's.
    ///   - start: The file offset of `bytes`, for errors.
    /// - Returns: Whether the row is complete.
    /// - Throws: `corrupt` for a byte that belongs in no number, and for a sample above the maximum.
    mutating func readRow(
        from bytes: Span<UInt8>, at position: inout Int, isWhole: Bool, start: Int
    ) throws(ImageError) -> Bool {
        let count = header.size.width * header.channelCount
        if sampleCount == count {
            sampleCount = 0
            if header.isBitmap { for index in row.indices { row[index] = 0 } }
        }
        while sampleCount < count {
            guard position < bytes.count else {
                guard isWhole, number != nil else { return false }
                endNumber()
                continue
            }
            let byte = bytes[position]
            if isInComment {
                if byte == 10 || byte == 13 { isInComment = false }
            } else if byte.isDigit {
                try take(byte, at: start + position)
            } else if byte == UInt8(ascii: "#") {
                endNumber()
                isInComment = true
            } else if byte.isPNMSpace {
                endNumber()
            } else {
                throw ImageError(
                    .corrupt, "the PNM has the byte \(byte) among its samples", byteOffset: start + position)
            }
            position += 1
        }
        return true
    }

    private mutating func take(_ byte: UInt8, at offset: Int) throws(ImageError) {
        let digit = Int(byte - 48)
        if header.isBitmap {
            // Bits need no space in between.
            guard digit <= 1 else {
                throw ImageError(.corrupt, "the PNM has the digit \(digit) among its bits", byteOffset: offset)
            }
            if digit == 1 { row[sampleCount >> 3] |= 0x80 >> UInt8(sampleCount & 7) }
            sampleCount += 1
            return
        }
        let value = (number ?? 0) * 10 + digit
        guard value <= header.maximumValue else {
            throw ImageError(
                .corrupt, "the PNM has a sample of \(value) or more; its maximum is \(header.maximumValue)",
                byteOffset: offset)
        }
        number = value
    }

    private mutating func endNumber() {
        guard let value = number else { return }
        number = nil
        if header.sampleByteCount == 2 {
            row[2 * sampleCount] = UInt8(value >> 8)
            row[2 * sampleCount + 1] = UInt8(value & 255)
        } else {
            row[sampleCount] = UInt8(value)
        }
        sampleCount += 1
    }
}
