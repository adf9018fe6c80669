internal import Raster

/// The indices of an interlaced frame, put together as its passes come.
///
/// A row fills the block that later passes will divide, so that the frame is covered from the first pass on.
struct GIFInterlacedPicture {
    private let width: Int
    private let height: Int
    private var indices: [UInt8]
    private var row = 0
    /// How many passes are in the picture.
    private(set) var passCount = 0
    /// How many rows are covered, from the top.
    private(set) var coveredRowCount = 0
    /// Whether rows were read that no delivery has shown.
    var hasUnshownRows = false

    /// A picture without rows, for `frame`.
    init(_ frame: GIFFrame, limits: DecodingLimits) throws(ImageError) {
        (width, height) = (frame.region.width, frame.region.height)
        // Sides of 16 bits: the product can't overflow.
        try limits.checkWorkingMemory(width * height, for: "the interlaced GIF picture")
        indices = [UInt8](repeating: 0, count: width * height)
    }

    /// Whether all four passes are in the picture.
    var isComplete: Bool { passCount == GIFInterlacing.passes.count }

    /// Reads rows up to the end of the current pass, or of the last one.
    /// - Returns: Whether it got there.
    mutating func read(_ reader: inout GIFIndexReader, _ codes: [UInt8], dropped: Int, toEnd: Bool) -> Bool {
        while !isComplete {
            let pass = GIFInterlacing.passes[passCount]
            while row < pass.rowCount(height: height) {
                guard let range = reader.nextRow(codes, dropped: dropped) else { return false }
                put(reader.row, range, at: pass.first + row * pass.step, height: pass.blockHeight)
                row += 1
            }
            row = 0
            repeat {
                passCount += 1
            } while !isComplete && GIFInterlacing.passes[passCount].rowCount(height: height) == 0
            if !toEnd { return true }
        }
        return true
    }

    private mutating func put(_ source: Span<UInt8>, _ range: Range<Int>, at y: Int, height blockHeight: Int) {
        let (width, bottom) = (width, min(height, y + blockHeight))
        Self.fill(&indices, y..<bottom, of: width, from: source, range)
        coveredRowCount = max(coveredRowCount, bottom)
        hasUnshownRows = true
    }

    /// Copies one row to each of `rows`.
    private static func fill(
        _ indices: inout [UInt8], _ rows: Range<Int>, of width: Int, from source: Span<UInt8>, _ range: Range<Int>
    ) {
        var target = indices.mutableSpan
        for row in rows {
            let offset = row * width - range.lowerBound
            for index in range { target[offset + index] = source[index] }
        }
    }

    /// All indices, row after row.
    var pixels: Span<UInt8> {
        @_lifetime(borrow self)
        get { indices.span }
    }
}
