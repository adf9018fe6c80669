internal import Raster

/// A part of a picture in floating point, the picture's edge pixels repeated where the part reaches beyond it.
struct FloatPart: ~Copyable {
    /// The part's first column in the picture.
    private(set) var x = 0
    /// The part's first row in the picture.
    private(set) var y = 0
    /// Columns.
    private(set) var width = 0
    /// Row after row.
    private(set) var pixels: [SIMD4<Float>] = []

    init() {}

    /// Takes what a tile of the turned picture is made from, `reach` pixels being summed to each side.
    mutating func fill(
        _ bitmap: Bitmap, _ rotation: Rotation, columns: Range<Int>, rows: Range<Int>, reach: Int, isLinear: Bool
    ) {
        var (xs, ys): ([Int], [Int]) = ([], [])
        for column in [columns.lowerBound, columns.upperBound - 1] {
            for row in [rows.lowerBound, rows.upperBound - 1] {
                let place = rotation.place(column: column, row: row)
                xs.append(place.x >> Rotation.fractionBits)
                ys.append(place.y >> Rotation.fractionBits)
            }
        }
        // A tile beside the picture reads nothing.
        guard xs.min()! <= bitmap.width, ys.min()! <= bitmap.height, xs.max()! >= -1, ys.max()! >= -1 else { return }
        // Steps along a row are rounded: a pixel more on each side. What isn't within a pixel of the picture isn't read.
        let (left, right) = (max(-2, xs.min()! - 1) - reach + 1, min(bitmap.width, xs.max()! + 1) + reach)
        let (top, bottom) = (max(-2, ys.min()! - 1) - reach + 1, min(bitmap.height, ys.max()! + 1) + reach)
        (x, y) = (left, top)
        width = right - left + 1
        let count = width * (bottom - top + 1)
        if pixels.count < count { pixels = Array(repeating: .zero, count: count) }
        let alpha = bitmap.alpha
        let first = min(max(0, left), bitmap.width - 1)
        let last = min(max(0, right), bitmap.width - 1)
        for row in top...bottom {
            let start = (row - top) * width
            let source = bitmap.rows.extracting(
                min(max(0, row), bitmap.height - 1)..<(min(max(0, row), bitmap.height - 1) + 1))
            pixels.withUnsafeMutableBytes { bytes in
                // The part's row has `width` pixels, and those from `first` to `last` are among them.
                let target = (bytes.baseAddress! + (start + max(0, first - left)) * 16).assumingMemoryBound(
                    to: Float.self)
                if bitmap.format == .rgba16 {
                    FloatRows.fill(
                        target, from: source.row(0, as: RGBA16.self).extracting(first..<(last + 1)), alpha: alpha,
                        isLinear: isLinear)
                } else {
                    FloatRows.fill(
                        target, from: source.row(0, as: RGBA8.self).extracting(first..<(last + 1)), alpha: alpha,
                        isLinear: isLinear)
                }
            }
            var line = pixels.mutableSpan
            let (leftmost, rightmost) = (line[start + first - left], line[start + last - left])
            for x in left..<max(left, first) { line[start + x - left] = leftmost }
            for x in min(right + 1, last + 1)..<(right + 1) { line[start + x - left] = rightmost }
        }
    }
}
