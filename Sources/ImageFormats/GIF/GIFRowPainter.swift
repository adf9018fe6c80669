internal import Raster

/// Turns indices into pixels and puts them where a frame has its place.
struct GIFRowPainter {
    private let colors: [RGBA8]
    /// The first column of the frame, of the part that is wanted, and the number of columns of each.
    private let frameX: Int
    private let frameWidth: Int
    private let x: Int
    private let width: Int

    /// A painter of the columns in `x..<(x + width)` of a canvas on which `frame` has its place.
    init(_ frame: GIFFrame, globalPalette: [UInt8]?, x: Int, width: Int) {
        colors = frame.colors(globalPalette: globalPalette)
        (frameX, frameWidth) = (frame.region.x, frame.region.width)
        (self.x, self.width) = (x, width)
    }

    /// Paints the frame's row whose indices begin at `first` of `indices`; what it doesn't cover becomes transparent.
    func paint(_ indices: Span<UInt8>, from first: Int, to target: consuming MutableSpan<RGBA8>) {
        let colors = colors.span
        let start = min(max(0, frameX - x), width)
        let end = max(start, min(width, frameX + frameWidth - x))
        let offset = first + x - frameX
        for column in 0..<start { target[column] = RGBA8(0, 0, 0, 0) }
        for column in start..<end { target[column] = colors[Int(indices[offset + column])] }
        for column in end..<width { target[column] = RGBA8(0, 0, 0, 0) }
    }

    /// Paints a row that the frame has no part of.
    static func clear(_ target: consuming MutableSpan<RGBA8>) {
        for column in 0..<target.count { target[column] = RGBA8(0, 0, 0, 0) }
    }
}
