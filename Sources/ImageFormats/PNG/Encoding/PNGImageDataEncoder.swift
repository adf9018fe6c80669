internal import CTesseraKernels
internal import CTesseraLibDeflate
internal import CTesseraLibZ
internal import Dispatch
internal import Raster

/// Compresses an image's rows, as they arrive, to the zlib stream of a PNG file.
///
/// Rows are collected in chunks of a fixed size, which are compressed in parallel; the file doesn't depend on the
/// number of threads. Memory holds a few chunks for each thread.
final class PNGImageDataEncoder: RowSink {
    /// The size of a chunk in bytes of filtered rows.
    private static let chunkByteCount = 1 << 19

    /// Receives the stream, in pieces of one PNG chunk each.
    private let output: (RawSpan) throws(ImageError) -> Void
    private let packer: PNGRowPacker
    private let format: PixelFormat

    private let rowByteCount: Int
    private let rowsPerChunk: Int
    private let filters: PNGFilterChoice
    private let effort: DeflateEffort
    private var chunks: [PNGChunkEncoder] = []

    /// Packed rows: the last one of the previous batch, then room for a batch.
    private let packed: UnsafeMutablePointer<UInt8>
    private let rowsPerBatch: Int
    private var rowsInBatch = 0
    private var rowsDone = 0
    private var checksum: UInt32 = 1

    init(
        _ header: PNGHeader, from info: BitmapInfo, palette: PNGPalette? = nil, options: EncodingOptions,
        filters: PNGFilterChoice = .all, output: @escaping (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        guard !header.size.isEmpty, header.size.width <= 0x7FFF_FFFF, header.size.height <= 0x7FFF_FFFF else {
            throw ImageError(
                .limitExceeded, "invalid size \(header.size) of a PNG image: sides are 1 to 2147483647 pixels")
        }
        self.output = output
        packer = PNGRowPacker(from: info.format, to: header, palette: palette)
        format = info.format
        effort = DeflateEffort(level: options.png.compressionLevel)
        // Indices and packed bits aren't continuous: differences between them compress worse.
        let isContinuous = header.bitDepth >= 8 && header.colorType != .indexed
        self.filters = isContinuous && options.png.compressionLevel > 0 ? filters : .none

        rowByteCount = header.rowByteCount(width: header.size.width)
        rowsPerChunk = min(header.size.height, max(1, Self.chunkByteCount / (rowByteCount + 1)))
        let chunkCount = (header.size.height + rowsPerChunk - 1) / rowsPerChunk
        rowsPerBatch = rowsPerChunk * min(chunkCount, max(4, min(4 * ImageExecutor.processorCount, 32)))
        packed = .allocate(capacity: (rowsPerBatch + 1) * rowByteCount + 8)
    }

    deinit {
        packed.deallocate()
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        let size = packer.header.size
        precondition(rows.width == size.width && rows.format == format)
        guard rows.count <= size.height - rowsDone - rowsInBatch else {
            throw ImageError(.invalidParameter, "more rows than the PNG image's \(size.height)")
        }
        var next = 0
        while next < rows.count {
            let count = min(rows.count - next, rowsPerBatch - rowsInBatch)
            pack(rows.extracting(next..<(next + count)))
            next += count
            rowsInBatch += count
            if rowsInBatch == rowsPerBatch || rowsDone + rowsInBatch == size.height { try writeBatch() }
        }
    }

    func finish() throws(ImageError) {
        guard rowsDone == packer.header.size.height else {
            throw ImageError(
                .invalidParameter,
                "only \(rowsDone + rowsInBatch) of the PNG image's \(packer.header.size.height) rows")
        }
    }

    private func pack(_ rows: borrowing PixelRows) {
        let first = packed + (1 + rowsInBatch) * rowByteCount
        for y in 0..<rows.count { packer.pack(rows, y, into: first + y * rowByteCount) }
    }

    private func writeBatch() throws(ImageError) {
        let height = packer.header.size.height
        let count = (rowsInBatch + rowsPerChunk - 1) / rowsPerChunk
        while chunks.count < count {
            chunks.append(PNGChunkEncoder(capacity: rowsPerChunk * (rowByteCount + 1), effort: effort))
        }
        compress(count)
        for index in 0..<count {
            let chunk = chunks[index]
            checksum = UInt32(
                truncatingIfNeeded: adler32_combine(UInt(checksum), UInt(chunk.checksum), chunk.inputCount))
            let isFirst = rowsDone == 0 && index == 0
            let isLast = rowsDone + rowsInBatch == height && index == count - 1
            try chunk.withOutput { (piece) throws(ImageError) in
                guard isFirst || isLast else {
                    return try output(RawSpan(_unsafeElements: piece))
                }
                // Deflate with a window of 32 KB; the check bits make the two bytes a multiple of 31.
                let head: [UInt8] = isFirst ? [0x78, 0x9C] : []
                let whole = head + Array(piece) + (isLast ? Int(checksum).bigEndianBytes(4) : [])
                try output(whole.span.bytes)
            }
        }
        packed.update(from: packed + rowsInBatch * rowByteCount, count: rowByteCount)
        rowsDone += rowsInBatch
        rowsInBatch = 0
    }

    private func compress(_ count: Int) {
        let (rowByteCount, rowsPerChunk, rowsInBatch, filters) = (rowByteCount, rowsPerChunk, rowsInBatch, filters)
        let reachesEnd = rowsDone + rowsInBatch == packer.header.size.height
        let isAtTop = rowsDone == 0
        let filterDistance = packer.header.filterDistance
        // Each call uses its own chunk and only reads the rows, which don't change until all calls are done.
        nonisolated(unsafe) let (chunks, packed) = (chunks, packed)
        let work: @Sendable (Int) -> Void = { index in
            let first = index * rowsPerChunk
            let rows = packed + (1 + first) * rowByteCount
            chunks[index].encode(
                rows, count: min(rowsPerChunk, rowsInBatch - first), rowByteCount: rowByteCount,
                prior: isAtTop && index == 0 ? nil : rows - rowByteCount, filterDistance: filterDistance,
                filters: filters, isLast: reachesEnd && index == count - 1)
        }
        if count == 1 {
            work(0)
        } else {
            DispatchQueue.concurrentPerform(iterations: count, execute: work)
        }
    }
}

/// Filters and compresses rows to a piece of the image's stream; each is used by one thread at a time.
final class PNGChunkEncoder {
    private var compressor: DeflateCompressor
    private let filtered: UnsafeMutablePointer<UInt8>
    private let output: UnsafeMutablePointer<UInt8>
    private let outputCapacity: Int
    private let capacity: Int
    /// The length of the piece in bytes.
    private(set) var outputCount = 0
    /// The Adler-32 checksum of the filtered rows with their filter bytes.
    private(set) var checksum: UInt32 = 1
    /// The number of bytes compressed, including filter bytes.
    private(set) var inputCount = 0

    init(capacity: Int, effort: DeflateEffort) {
        self.capacity = capacity
        compressor = DeflateCompressor(effort: effort)
        filtered = .allocate(capacity: capacity)
        outputCapacity = DeflateCompressor.bound(for: capacity)
        output = .allocate(capacity: outputCapacity)
    }

    deinit {
        filtered.deallocate()
        output.deallocate()
    }

    /// Compresses `count` packed rows at `rows`; `prior` is the row above, if any.
    func encode(
        _ rows: UnsafePointer<UInt8>, count: Int, rowByteCount: Int, prior: UnsafePointer<UInt8>?,
        filterDistance: Int, filters: PNGFilterChoice, isLast: Bool
    ) {
        precondition(count * (rowByteCount + 1) <= capacity)
        var above = prior
        for y in 0..<count {
            let row = rows + y * rowByteCount
            // A row and its filter byte fit by the precondition.
            let target = filtered + y * (rowByteCount + 1)
            tessera_png_filter_adaptive(
                target, row, above, rowByteCount, UInt32(filterDistance), filters.rawValue)
            above = row
        }
        inputCount = count * (rowByteCount + 1)
        checksum = libdeflate_adler32(1, filtered, inputCount)
        outputCount = compressor.compress(
            UnsafeBufferPointer(start: filtered, count: inputCount), isLast: isLast, into: output)
    }

    /// Calls `body` with the piece.
    func withOutput<R>(_ body: (UnsafeBufferPointer<UInt8>) throws(ImageError) -> R) throws(ImageError) -> R {
        try body(UnsafeBufferPointer(start: output, count: outputCount))
    }
}

/// The filters that an encoder chooses from for each row; the raw value is the number of filters, in PNG's order.
enum PNGFilterChoice: UInt32 {
    /// No filter: for indices and packed bits.
    case none = 1
    /// None, Sub and Up, which decoders reverse many bytes at a time.
    case fast = 3
    /// All five.
    case all = 5
}
