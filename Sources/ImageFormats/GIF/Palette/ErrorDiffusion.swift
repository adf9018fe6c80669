internal import Raster

/// Draws pixels with a palette so that what one of them gets wrong is made good by its neighbours (Floyd and Steinberg,
/// 1976), rows in turn from left to right and from right to left.
///
/// What a pixel has to make good is limited to twice the palette's spacing: where the palette has no colours on all sides
/// of the pixels' it would add up, until it is made good by a dot of quite another colour.
struct ErrorDiffusion {
    /// In sixteenths, what the row being drawn and the one below it have still to make good, a pixel of room at each end.
    private var current: [SIMD4<Int32>]
    private var below: [SIMD4<Int32>]
    private var goesLeft = false
    private let width: Int
    /// The longest difference in colour that a pixel makes good, and its square.
    private let limit: Float
    private let limitSquared: Float

    /// Diffusion over rows of `width` pixels, drawn with a palette whose colours are `spacing` from the nearest other one.
    init(width: Int, spacing: Float) {
        self.width = width
        limit = 2 * spacing
        limitSquared = limit * limit
        current = [SIMD4<Int32>](repeating: .zero, count: width + 2)
        below = current
    }

    /// Draws the row that comes next, whose pixels begin at `start`: fills `indices` where `isDrawn` says so. Others take
    /// no part.
    mutating func draw(
        _ pixels: Span<RGBA8>, isDrawn: Span<Bool>, from start: Int, with palette: inout NearestColor,
        to indices: inout MutableSpan<UInt8>
    ) {
        var (current, below) = (self.current, self.below)
        (self.current, self.below) = ([], [])
        let step = goesLeft ? -1 : 1
        var x = goesLeft ? width - 1 : 0
        let white = SIMD4<Int32>(255, 255, 255, 0)
        for _ in 0..<width {
            if isDrawn[start + x] {
                let pixel = pixels[start + x]
                let stored = SIMD4<Int32>(Int32(pixel.red), Int32(pixel.green), Int32(pixel.blue), 0)
                var owed = (current[x + 1] &+ 8) &>> 4
                let square = Float((owed &* owed).wrappedSum())
                if square > limitSquared {
                    let scale = limit / square.squareRoot()
                    owed = SIMD4<Int32>(SIMD4<Float>(owed) * scale, rounding: .towardZero)
                }
                let color = (stored &+ owed).clamped(lowerBound: .zero, upperBound: white)
                let index = palette.index(of: color)
                indices[start + x] = UInt8(truncatingIfNeeded: index)
                let error = color &- palette.color(at: index)
                current[x + 1 + step] &+= error &* 7
                below[x + 1 - step] &+= error &* 3
                below[x + 1] &+= error &* 5
                below[x + 1 + step] &+= error
            }
            x += step
        }
        for index in current.indices { current[index] = .zero }
        (self.current, self.below) = (below, current)
        goesLeft.toggle()
    }
}
