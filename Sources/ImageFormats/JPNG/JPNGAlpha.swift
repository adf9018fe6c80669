internal import Raster

/// Puts a mask's rows and a colour part's together.
enum JPNGAlpha {
    /// Gives `rows`, opaque rgba8, the alpha that is in `mask`, as many rows of gray8.
    static func apply(
        _ mask: borrowing PixelRows, to rows: inout MutablePixelRows, _ options: DecodingOptions.JPNG
    ) {
        for y in 0..<rows.count {
            let alpha = mask.row(y, as: Gray8.self)
            var row = rows.row(y, as: RGBA8.self)
            if options == DecodingOptions.JPNG() {
                for x in row.indices { row[x].alpha = alpha[x].value }
            } else {
                apply(alpha, to: &row, options)
            }
        }
    }

    private static func apply(
        _ alpha: Span<Gray8>, to row: inout MutableSpan<RGBA8>, _ options: DecodingOptions.JPNG
    ) {
        for x in row.indices {
            var value = alpha[x].value
            if options.snapsAlpha { value = value <= 2 ? 0 : (value >= 253 ? 255 : value) }
            var pixel = row[x]
            if options.repairsWhiteFlattening {
                // What was stored is min(255, C + 255 - A).
                let white = 255 - value
                pixel.red -= min(white, pixel.red)
                pixel.green -= min(white, pixel.green)
                pixel.blue -= min(white, pixel.blue)
            }
            pixel.alpha = value
            row[x] = pixel
        }
    }
}
