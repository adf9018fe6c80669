internal import CTesseraKernels
internal import CTesseraLibDeflate
internal import Raster

/// Filters and compresses some rows into a piece of the picture's stream: what one thread works on.
final class PNGChunkEncoder {
    private var compressor: DeflateCompressor
    private let filtered: UnsafeMutablePointer<UInt8>
    private let output: UnsafeMutablePointer<UInt8>
    private let outputCapacity: Int
    private let capacity: Int
    /// How many bytes the piece has.
    private(set) var outputCount = 0
    /// The Adler-32 of the rows with their filters' numbers.
    private(set) var checksum: UInt32 = 1
    /// How many bytes went in, filters' numbers included.
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

    /// Makes the piece from `count` rows of packed bytes at `rows`; `prior` is the row above, if there is one.
    func encode(
        _ rows: UnsafePointer<UInt8>, count: Int, rowByteCount: Int, prior: UnsafePointer<UInt8>?,
        filterDistance: Int, filters: PNGFilterChoice, isLast: Bool
    ) {
        precondition(count * (rowByteCount + 1) <= capacity)
        var above = prior
        for y in 0..<count {
            let row = rows + y * rowByteCount
            // A row and its filter's number fit by the line above.
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

    /// Lends the piece.
    func withOutput<R>(_ body: (UnsafeBufferPointer<UInt8>) throws(ImageError) -> R) throws(ImageError) -> R {
        try body(UnsafeBufferPointer(start: output, count: outputCount))
    }
}
