internal import Raster

/// The indices of an interlaced frame, assembled as its passes arrive.
///
/// A row also fills the rows below it that later passes will replace, so the first pass covers the whole frame.
struct GIFInterlacedPicture {
    private let width: Int
    private let height: Int
    private var indices: [UInt8]
    private var row = 0
    /// The number of completed passes.
    private(set) var passCount = 0
    /// The number of rows covered, from the top.
    private(set) var coveredRowCount = 0
    /// Whether rows were read that haven't been delivered yet.
    var hasUnshownRows = false

    /// An empty image for `frame`.
    /// - Throws: `limitExceeded` if its indices exceed the working memory.
    init(_ frame: GIFFrame, limits: DecodingLimits) throws(ImageError) {
        (width, height) = (frame.region.width, frame.region.height)
        // The sides have 16 bits, so the product can't overflow.
        try limits.checkWorkingMemory(width * height, for: "the interlaced GIF image")
        indices = [UInt8](repeating: 0, count: width * height)
    }

    /// Whether all four passes have been read.
    var isComplete: Bool { passCount == GIFInterlacing.passes.count }

    /// Reads rows to the end of the current pass, or to the end of the last pass with `toEnd`.
    /// - Returns: Whether it reached that end.
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
        precondition(range.count == width && rows.upperBound * width <= indices.count)
        source.extracting(range).withUnsafeBufferPointer { source in
            indices.withUnsafeMutableBufferPointer { target in
                // Both have a row's width, as was just checked. Byte by byte it would take a third of the decoder's time.
                for row in rows { _ = target[(row * width)..<((row + 1) * width)].update(fromContentsOf: source) }
            }
        }
    }

    /// All indices, row by row.
    var pixels: Span<UInt8> {
        @_lifetime(borrow self)
        get { indices.span }
    }
}

/// The row order of interlaced images (GIF89a, appendix E).
enum GIFInterlacing {
    /// The rows of one pass.
    struct Pass {
        /// The index of the first row.
        let first: Int
        /// The distance between rows.
        let step: Int
        /// The number of rows that each row fills until later passes replace them.
        let blockHeight: Int

        /// The number of rows in this pass for an image of `height` rows.
        func rowCount(height: Int) -> Int { (max(0, height - first) + step - 1) / step }
    }

    static let passes = [
        Pass(first: 0, step: 8, blockHeight: 8),
        Pass(first: 4, step: 8, blockHeight: 4),
        Pass(first: 2, step: 4, blockHeight: 2),
        Pass(first: 1, step: 2, blockHeight: 1),
    ]
}

/// Converts indices to pixels and places them at the frame's position.
struct GIFRowPainter {
    private let colors: [RGBA8]
    /// The first column and the width of the frame, then of the requested part.
    private let frameX: Int
    private let frameWidth: Int
    private let x: Int
    private let width: Int

    /// A painter of columns `x..<(x + width)` of the canvas.
    init(_ frame: GIFFrame, globalPalette: [UInt8]?, x: Int, width: Int) {
        colors = frame.colors(globalPalette: globalPalette)
        (frameX, frameWidth) = (frame.region.x, frame.region.width)
        (self.x, self.width) = (x, width)
    }

    /// Paints the frame's row whose indices begin at `first` in `indices`. Other columns become transparent.
    func paint(_ indices: Span<UInt8>, from first: Int, to target: consuming MutableSpan<RGBA8>) {
        let colors = colors.span
        let start = min(max(0, frameX - x), width)
        let end = max(start, min(width, frameX + frameWidth - x))
        let offset = first + x - frameX
        for column in 0..<start { target[column] = RGBA8(0, 0, 0, 0) }
        for column in start..<end { target[column] = colors[Int(indices[offset + column])] }
        for column in end..<width { target[column] = RGBA8(0, 0, 0, 0) }
    }

    /// Paints a row that lies outside the frame.
    static func clear(_ target: consuming MutableSpan<RGBA8>) {
        for column in 0..<target.count { target[column] = RGBA8(0, 0, 0, 0) }
    }
}
