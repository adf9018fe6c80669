internal import Raster

/// The change that an image of a GIF animation makes to the canvas.
struct GIFChange {
    /// The part of the canvas that is drawn.
    var region: PixelRect
    /// The indices of the part, row by row, into `colors`.
    var indices: [UInt8]
    /// The pixels that have the canvas's colour already, or are transparent. They may be left out.
    var optional: [Bool]
    /// The 256 colours that indices refer to; 0 for the transparent one.
    var colors: [UInt32]

    /// The opaque colours in use, in the order of the first pixels that have them.
    var usedColors: [UInt32] {
        var isKnown = [Bool](repeating: false, count: 256)
        var used: [UInt32] = []
        for index in indices where !isKnown[Int(index)] {
            isKnown[Int(index)] = true
            let color = colors[Int(index)]
            if color != 0, !used.contains(color) { used.append(color) }
        }
        return used
    }

    /// Whether any pixel is transparent.
    var hasTransparency: Bool { indices.contains { colors[Int($0)] == 0 } }

    /// Reduces the region to the pixels that differ, and to one pixel if there are none.
    mutating func crop() {
        let width = region.width
        var (left, right, top, bottom) = (width, 0, region.height, 0)
        for y in 0..<region.height {
            let row = optional[(y * width)..<((y + 1) * width)]
            guard let first = row.firstIndex(of: false), let last = row.lastIndex(of: false) else { continue }
            (left, right) = (min(left, first - y * width), max(right, last - y * width + 1))
            (top, bottom) = (min(top, y), y + 1)
        }
        if bottom == 0 { (left, right, top, bottom) = (0, 1, 0, 1) }
        guard right - left < width || bottom - top < region.height else { return }
        let rows = (top..<bottom).map { (($0 * width) + left)..<(($0 * width) + right) }
        indices = rows.flatMap { indices[$0] }
        optional = rows.flatMap { optional[$0] }
        region = PixelRect(x: region.x + left, y: region.y + top, width: right - left, height: bottom - top)
    }
}
