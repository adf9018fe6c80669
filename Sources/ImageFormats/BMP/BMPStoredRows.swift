internal import Raster

/// A BMP's pixels as stored, and the number of rows that have arrived.
///
/// Rows are numbered in the file's order. Compressed rows stay compressed in memory, and are unpacked one at a time.
final class BMPStoredRows {
    private let size: PixelSize
    private let compression: BMPCompression
    private let rowByteCount: Int
    private let imageByteCount: Int
    private var bytes: [UInt8] = []
    /// The number of uncompressed rows removed from the front of `bytes`.
    private var droppedRowCount = 0
    private var runs: BMPRunLengths?
    private var fax: BMPFaxRows?
    private var row: [UInt8]
    private(set) var isFinished = false

    /// The bits of a pixel in the rows that `withRow` lends.
    let bitsPerPixel: Int

    convenience init(_ header: BMPHeader) {
        self.init(
            size: header.size, bitsPerPixel: header.bitsPerPixel, compression: header.compression,
            imageByteCount: header.imageByteCount)
    }

    /// Creates storage for an image of `size`, which for an icon has half the rows in its header.
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

    /// The number of bytes in memory.
    var byteCount: Int { bytes.count }

    /// Whether all rows have arrived, so that any further bytes are ignored.
    var isComplete: Bool { rowCount == size.height }

    /// Appends the next bytes.
    func append(_ piece: RawSpan) {
        guard !isComplete, !isFinished else { return }
        // Memory for all rows once half of them are there, so that they aren't moved again: a size that is only announced takes
        // none.
        let (expected, count) = (rowByteCount * size.height, bytes.count + piece.byteCount)
        if runs == nil, fax == nil, droppedRowCount == 0, count >= expected / 2 { bytes.reserveCapacity(expected) }
        // The pointer is used within the call only.
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
        runs?.scan(bytes)
        // The end of the Huffman codes isn't marked, so they are scanned once all have arrived.
        if fax != nil, imageByteCount > 0, bytes.count >= imageByteCount { finish() }
    }

    /// Ends the input.
    func finish() {
        guard !isFinished else { return }
        isFinished = true
        fax?.scan(bytes)
    }

    /// The number of rows, from the first stored, that can be lent.
    var rowCount: Int {
        if let runs { return isFinished ? runs.begunRowCount : runs.rowCount }
        if let fax { return fax.rowCount }
        // The last row may lack its padding.
        let packed = (size.width * bitsPerPixel + 7) / 8
        return min(size.height, droppedRowCount + (bytes.count + rowByteCount - packed) / rowByteCount)
    }

    /// The error in the rows that have arrived.
    var damage: ImageError? {
        if runs?.leavesPicture ?? false { return ImageError(.corrupt, "the BMP's runs leave the image") }
        if fax?.isDamaged ?? false { return ImageError(.corrupt, "the BMP's Huffman codes make no row") }
        // Run-length data without an end marker in the last row is valid.
        if let runs, !runs.isAtEnd, isFinished, runs.begunRowCount < size.height { return Self.truncated }
        return nil
    }

    /// The error for missing rows.
    static let truncated = ImageError(.truncated, "the BMP ends before its last row")

    /// Lends an available row, uncompressed.
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

    /// Frees the first `count` rows of the file, which must not be used again. Compressed rows stay.
    func drop(_ count: Int) {
        guard runs == nil, fax == nil else { return }
        let byteCount = (count - droppedRowCount) * rowByteCount
        // Moving the remaining bytes takes time, so it isn't done for every row. A row's padding may not have arrived.
        guard byteCount > 0, byteCount >= bytes.count / 2, byteCount <= bytes.count else { return }
        bytes.removeFirst(byteCount)
        droppedRowCount = count
    }
}

/// Finds the start of each row in run-length data, so that any row can be unpacked alone.
///
/// Skipped pixels have index 0, or are black.
struct BMPRunLengths {
    /// The bits of a run's value: 4, 8 or 24.
    private let bitsPerPixel: Int
    private let width: Int
    private let height: Int
    /// For each row so far, the offset of its data and the first pixel there; nil for a skipped row.
    private var starts: [(offset: Int, x: Int)?] = [(0, 0)]
    private var offset = 0
    private var x = 0
    /// Whether the scan has reached the end marker or the end of the last row.
    private(set) var isAtEnd = false
    /// Whether the data move beyond the last row.
    private(set) var leavesPicture = false

    init(bitsPerPixel: Int, width: Int, height: Int) {
        self.bitsPerPixel = bitsPerPixel
        self.width = width
        self.height = height
    }

    /// The number of complete rows, in stored order.
    var rowCount: Int { isAtEnd ? height : starts.count - 1 }

    /// The number of rows begun.
    var begunRowCount: Int { isAtEnd ? height : starts.count }

    /// The bytes of `count` literal pixels, padded to a multiple of 2.
    private func literalByteCount(_ count: Int) -> Int { ((count * bitsPerPixel + 7) / 8 + 1) / 2 * 2 }

    /// The bytes of a run: a count and a value.
    private var runByteCount: Int { bitsPerPixel == 24 ? 4 : 2 }

    /// Scans the data that have arrived since the last call.
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
            // The last row may have an end-of-line marker like the others.
            if starts.count > height + 1 { leavesPicture = true }
            isAtEnd = true
        }
    }

    /// The bits of an unpacked pixel: an index takes a byte.
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

    /// Writes up to `count` pixels, fewer if the bytes end: the one at `start` repeatedly, or those that follow it.
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
