internal import Raster

/// Cuts the indices of one frame out of its LZW codes, row by row. Memory holds a few rows.
struct GIFIndexReader {
    private var decoder: GIFLZWDecoder
    private var indices: [UInt8]
    /// Where the indices begin that were not cut out yet, and where they end.
    private var start = 0
    private var end = 0
    private let width: Int
    private let dataOffset: Int
    /// Why there are no more indices than those in memory.
    private(set) var failure: ImageError?
    /// How many bytes of codes were unpacked.
    private(set) var taken = 0

    private static let chunkByteCount = 1 << 15

    /// A reader of the rows of `frame`, which has pixels.
    /// - Throws: `corrupt` for indices of a size that no byte holds.
    init(_ frame: GIFFrame) throws(ImageError) {
        guard (1...8).contains(frame.minimumCodeSize) else {
            throw ImageError(
                .corrupt, "indices of \(frame.minimumCodeSize) bits in a GIF picture",
                byteOffset: max(0, frame.dataOffset - 1))
        }
        decoder = GIFLZWDecoder(minimumCodeSize: frame.minimumCodeSize)
        width = frame.region.width
        dataOffset = frame.dataOffset
        // A row that is being completed, and a chunk behind it.
        indices = [UInt8](repeating: 0, count: width + Self.chunkByteCount + GIFLZWDecoder.overrun)
    }

    /// Goes to the row that comes next, unpacking what it takes from `codes`: those of the frame from `taken` on, less
    /// the first `dropped`.
    /// - Returns: Where it is in `row`; nil where codes are missing, or after `failure`.
    mutating func nextRow(_ codes: [UInt8], dropped: Int = 0) -> Range<Int>? {
        if end - start < width, failure == nil { unpack(codes, dropped: dropped) }
        guard end - start >= width else { return nil }
        defer { start += width }
        return start..<(start + width)
    }

    /// The indices of rows that were gone to; those of the last one are sure to be there.
    var row: Span<UInt8> {
        @_lifetime(borrow self)
        get { indices.span }
    }

    /// Moves the indices in `rest` to the front and unpacks others behind them.
    private static func unpack(
        _ codes: [UInt8], from position: inout Int, to indices: inout [UInt8], moving rest: Range<Int>,
        filled: inout Int, wanted: Int, with decoder: inout GIFLZWDecoder
    ) -> GIFLZWDecoder.Stop {
        var target = indices.mutableSpan
        for index in rest { target[index - rest.lowerBound] = target[index] }
        var bytes = target.mutableBytes
        return decoder.decode(codes.span.bytes, from: &position, to: &bytes, filled: &filled, wanted: wanted)
    }

    private mutating func unpack(_ codes: [UInt8], dropped: Int) {
        // Taken out while they are written, and put back: no copy.
        var indices: [UInt8] = []
        swap(&indices, &self.indices)
        let (first, last) = (start, end)
        (start, end) = (0, last - first)
        var position = taken - dropped
        let wanted = width + Self.chunkByteCount
        let stop = Self.unpack(
            codes, from: &position, to: &indices, moving: first..<last, filled: &end, wanted: wanted, with: &decoder)
        swap(&indices, &self.indices)
        taken = position + dropped
        switch stop {
        case .full, .needsInput: break
        case .ended:
            failure = ImageError(.truncated, "the GIF picture's codes end before its last row")
        case .corrupt:
            failure = ImageError(
                .corrupt, "a code in the GIF picture has no meaning", byteOffset: dataOffset)
        }
    }
}
