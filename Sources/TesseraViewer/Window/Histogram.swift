#if GTK
internal import Raster
internal import Tessera

/// The numbers of an image's pixels at each of the 256 values of red, green and blue, in sRGB.
struct Histogram: Sendable {
    private var counts = [[Int]](repeating: [Int](repeating: 0, count: 256), count: 3)

    /// Counts the pixels of `bitmap`, but for transparent ones. O(pixels).
    init(_ bitmap: Bitmap) throws(ImageError) {
        let pixels = try bitmap.converted(to: .rgba8, alpha: .straight)
        let rows = pixels.rows
        for y in 0..<pixels.height {
            let row = rows.row(y, as: RGBA8.self)
            for x in 0..<pixels.width where row[x].alpha > 0 {
                counts[0][Int(row[x].red)] += 1
                counts[1][Int(row[x].green)] += 1
                counts[2][Int(row[x].blue)] += 1
            }
        }
    }

    /// A drawing of the three curves, added where they overlap, on black.
    func drawing(height: Int) throws(ImageError) -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 256, height: height), format: .rgba8))
        // A single peak, such as a white background, mustn't flatten everything else.
        let top = counts.flatMap { $0.sorted().suffix(4).prefix(1) }.max() ?? 0
        let highest = Double(max(1, top))
        var rows = bitmap.mutableRows
        for y in 0..<height {
            var row = rows.row(y, as: RGBA8.self)
            let level = Double(height - 1 - y) / Double(max(1, height - 1))
            for x in 0..<256 {
                func part(_ channel: Int) -> UInt8 {
                    let share = min(1, Double(counts[channel][x]) / highest)
                    return counts[channel][x] > 0 && share.squareRoot() >= level ? 230 : 24
                }
                row[x] = RGBA8(part(0), part(1), part(2))
            }
        }
        return bitmap.freeze()
    }
}
#endif
