internal import Raster

/// A BMP's pixels as they are stored, and which rows of them there are.
///
/// Rows are counted in the file's order. What is compressed is unpacked a row at a time, so memory holds the file's
/// bytes and no picture.
final class BMPStoredRows {
    private let size: PixelSize
    private let compression: BMPCompression
    private let rowByteCount: Int
    private let imageByteCount: Int
    private var bytes: [UInt8] = []
    /// Plain rows in front of `bytes` that were given up.
    private var droppedRowCount = 0
    private var runs: BMPRunLengths?
    private var fax: BMPFaxRows?
    private var row: [UInt8]
    private(set) var isFinished = false

    /// Bits of a pixel in rows as they are lent.
    let bitsPerPixel: Int

    convenience init(_ header: BMPHeader) {
        self.init(
            size: header.size, bitsPerPixel: header.bitsPerPixel, compression: header.compression,
            imageByteCount: header.imageByteCount)
    }

    /// Rows of a picture with `size`; an icon's has half the rows that its header says.
    init(size: PixelSize, bitsPerPixel: Int, compression: BMPCompression, imageByteCount: Int) {
        self.size = size
        self.compression = compression
        self.imageByteCount = imageByteCount
        switch compression {
        case .runLength4, .runLength8, .runLength24:
            self.bitsPerPixel = BMPRunLengths.unpackedBitsPerPixel(bitsPerPixel)
            runs = BMPRunLengths(bitsPerPixel: bitsPerPixel, width: size.width, height: size.height)
        case .huffman:
            self.bitsPerPixel = 1
            fax = BMPFaxRows(width: size.width, height: size.height)
        default:
            self.bitsPerPixel = bitsPerPixel
        }
        rowByteCount = (size.width * self.bitsPerPixel + 31) / 32 * 4
        row = [UInt8](repeating: 0, count: rowByteCount)
    }

    /// Bytes that are held.
    var byteCount: Int { bytes.count }

    /// Whether what follows is of no use.
    var isComplete: Bool { rowCount == size.height }

    /// Takes bytes that come next.
    func append(_ piece: RawSpan) {
        guard !isComplete, !isFinished else { return }
        // Used within the call only.
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
        runs?.scan(bytes)
        // Codes of a fax can only be told from their end when that is there.
        if fax != nil, imageByteCount > 0, bytes.count >= imageByteCount { finish() }
    }

    /// Says that there are no more.
    func finish() {
        guard !isFinished else { return }
        isFinished = true
        fax?.scan(bytes)
    }

    /// Rows that can be lent, from the first one stored on.
    var rowCount: Int {
        if let runs { return isFinished ? runs.begunRowCount : runs.rowCount }
        if let fax { return fax.rowCount }
        // The last row needs no padding.
        let packed = (size.width * bitsPerPixel + 7) / 8
        return min(size.height, droppedRowCount + (bytes.count + rowByteCount - packed) / rowByteCount)
    }

    /// What is wrong with rows that are there.
    var damage: ImageError? {
        if runs?.leavesPicture ?? false { return ImageError(.corrupt, "the BMP's runs leave the picture") }
        if fax?.isDamaged ?? false { return ImageError(.corrupt, "the BMP's Huffman codes make no row") }
        // Runs that stop without a word in the last row are as whole as ever.
        if let runs, !runs.isAtEnd, isFinished, runs.begunRowCount < size.height { return Self.truncated }
        return nil
    }

    /// Says that rows are missing.
    static let truncated = ImageError(.truncated, "the BMP ends before its last row")

    /// Lends a row that is there, plainly packed.
    func withRow(_ index: Int, _ body: (Span<UInt8>) -> Void) {
        if let runs {
            runs.unpack(index, of: bytes, into: &row)
        } else if let fax {
            fax.unpack(index, of: bytes, into: &row)
        } else {
            let start = (index - droppedRowCount) * rowByteCount
            let bytes = bytes
            body(bytes.span.extracting(start..<min(bytes.count, start + rowByteCount)))
            return
        }
        let row = row
        body(row.span)
    }

    /// Gives up plain rows that won't be asked for again, the first `count` of the file.
    func drop(_ count: Int) {
        guard runs == nil, fax == nil else { return }
        let byteCount = (count - droppedRowCount) * rowByteCount
        // Moving the rest costs as much as there is of it, so not for every row. A row's padding may be still to come.
        guard byteCount > 0, byteCount >= bytes.count / 2, byteCount <= bytes.count else { return }
        bytes.removeFirst(byteCount)
        droppedRowCount = count
    }
}

/// Run-length coded rows: finds where each begins, so that any can be unpacked by itself.
///
/// Pixels that the data pass over have index 0 (or are black).
struct BMPRunLengths {
    /// Bits of what a run repeats: 4, 8 or 24.
    private let bitsPerPixel: Int
    private let width: Int
    private let height: Int
    /// Where the data of each row so far begin, and with which pixel; nil for one that was passed over.
    private var starts: [(offset: Int, x: Int)?] = [(0, 0)]
    private var offset = 0
    private var x = 0
    /// Whether the end was met, or the last row.
    private(set) var isAtEnd = false
    /// Whether the data move to where there is no picture.
    private(set) var leavesPicture = false

    init(bitsPerPixel: Int, width: Int, height: Int) {
        self.bitsPerPixel = bitsPerPixel
        self.width = width
        self.height = height
    }

    /// Rows that are known in full, in the order stored.
    var rowCount: Int { isAtEnd ? height : starts.count - 1 }

    /// Rows of which anything is known.
    var begunRowCount: Int { isAtEnd ? height : starts.count }

    /// Bytes that data of `count` pixels of their own take, a multiple of 2.
    private func literalByteCount(_ count: Int) -> Int { ((count * bitsPerPixel + 7) / 8 + 1) / 2 * 2 }

    /// Bytes of a run: how often, and what.
    private var runByteCount: Int { bitsPerPixel == 24 ? 4 : 2 }

    /// Walks on through the data, as far as they are there.
    mutating func scan(_ bytes: [UInt8]) {
        while !isAtEnd, offset + 2 <= bytes.count {
            let (first, second) = (Int(bytes[offset]), Int(bytes[offset + 1]))
            switch (first, second) {
            case (0, 0):
                offset += 2
                begin([(offset, 0)])
            case (0, 1):
                offset += 2
                isAtEnd = true
            case (0, 2):
                guard offset + 4 <= bytes.count else { return }
                let (right, down) = (Int(bytes[offset + 2]), Int(bytes[offset + 3]))
                offset += 4
                x = min(width, x + right)
                if down > 0 { begin([(offset: Int, x: Int)?](repeating: nil, count: down - 1) + [(offset, x)]) }
            case (0, _):
                let count = 2 + literalByteCount(second)
                guard offset + count <= bytes.count else { return }
                offset += count
                x = min(width, x + second)
            default:
                guard offset + runByteCount <= bytes.count else { return }
                offset += runByteCount
                x = min(width, x + first)
            }
        }
    }

    private mutating func begin(_ rows: [(offset: Int, x: Int)?]) {
        starts += rows
        x = rows.last.flatMap { $0?.x } ?? 0
        if starts.count > height {
            // The end of the last row may be marked like any other's.
            if starts.count > height + 1 { leavesPicture = true }
            isAtEnd = true
        }
    }

    /// Bits of an unpacked pixel: indices get a byte each.
    static func unpackedBitsPerPixel(_ bitsPerPixel: Int) -> Int { bitsPerPixel == 4 ? 8 : bitsPerPixel }

    /// Unpacks a row into `row`, which has room for all of its pixels.
    func unpack(_ index: Int, of bytes: [UInt8], into row: inout [UInt8]) {
        row = [UInt8](repeating: 0, count: row.count)
        guard index < starts.count, var (offset, x) = starts[index] else { return }
        while offset + 2 <= bytes.count {
            let (first, second) = (Int(bytes[offset]), Int(bytes[offset + 1]))
            switch (first, second) {
            case (0, 0), (0, 1):
                return
            case (0, 2):
                guard offset + 4 <= bytes.count, bytes[offset + 3] == 0 else { return }
                x += Int(bytes[offset + 2])
                offset += 4
            case (0, _):
                let count = literalByteCount(second)
                put(min(second, width - x), bytes, at: offset + 2, repeats: false, into: &row, &x)
                offset += 2 + count
            default:
                put(min(first, width - x), bytes, at: offset + 1, repeats: true, into: &row, &x)
                offset += runByteCount
            }
        }
    }

    /// Puts `count` pixels, as many as there are bytes for: the one at `start` again and again, or those that follow it.
    private func put(
        _ count: Int, _ bytes: [UInt8], at start: Int, repeats: Bool, into row: inout [UInt8], _ x: inout Int
    ) {
        guard count > 0 else { return }
        for index in 0..<count {
            switch bitsPerPixel {
            case 4:
                let at = repeats ? start : start + index / 2
                guard at < bytes.count else { return }
                row[x] = index % 2 == 0 ? bytes[at] >> 4 : bytes[at] & 15
            case 8:
                let at = repeats ? start : start + index
                guard at < bytes.count else { return }
                row[x] = bytes[at]
            default:
                let at = repeats ? start : start + 3 * index
                guard at + 2 < bytes.count else { return }
                for channel in 0..<3 { row[3 * x + channel] = bytes[at + channel] }
            }
            x += 1
        }
    }
}
