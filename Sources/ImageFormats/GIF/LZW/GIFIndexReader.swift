internal import Raster

/// Unpacks a frame's indices row by row, holding a few rows in memory.
struct GIFIndexReader {
    private var decoder: GIFLZWDecoder
    private var indices: [UInt8]
    /// The bounds in `indices` of those not returned yet.
    private var start = 0
    private var end = 0
    private let width: Int
    private let dataOffset: Int
    /// The reason why no more indices can be unpacked.
    private(set) var failure: ImageError?
    /// The number of bytes of codes unpacked.
    private(set) var taken = 0

    private static let chunkByteCount = 1 << 15

    /// A reader of the rows of `frame`, which must not be empty.
    /// - Throws: `corrupt` for a minimum code size outside 1 to 8.
    init(_ frame: GIFFrame) throws(ImageError) {
        guard (1...8).contains(frame.minimumCodeSize) else {
            throw ImageError(
                .corrupt, "indices of \(frame.minimumCodeSize) bits in a GIF image",
                byteOffset: max(0, frame.dataOffset - 1))
        }
        decoder = GIFLZWDecoder(minimumCodeSize: frame.minimumCodeSize)
        width = frame.region.width
        dataOffset = frame.dataOffset
        // A partial row, and a chunk after it.
        indices = [UInt8](repeating: 0, count: width + Self.chunkByteCount + GIFLZWDecoder.overrun)
    }

    /// Advances to the next row, unpacking from `codes` as needed. `codes` holds the frame's codes without the first
    /// `dropped` bytes.
    /// - Returns: The row's range in `row`; nil if codes are missing, or after `failure`.
    mutating func nextRow(_ codes: [UInt8], dropped: Int = 0) -> Range<Int>? {
        if end - start < width, failure == nil { unpack(codes, dropped: dropped) }
        guard end - start >= width else { return nil }
        defer { start += width }
        return start..<(start + width)
    }

    /// The unpacked indices; only those of the latest row are guaranteed to be present.
    var row: Span<UInt8> {
        @_lifetime(borrow self)
        get { indices.span }
    }

    /// Moves the indices in `rest` to the front and unpacks more after them.
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
        // Moved out while being written, then moved back, to avoid a copy.
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
            failure = ImageError(.truncated, "the GIF image's codes end before its last row")
        case .corrupt:
            failure = ImageError(
                .corrupt, "a code in the GIF image has no meaning", byteOffset: dataOffset)
        }
    }
}
