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
