internal import Raster

/// The canvas of a GIF animation, on which images are drawn one after the other.
struct GIFCanvas {
    private let size: PixelSize
    /// The colours with an alpha of 255 in the highest byte; 0 is transparent.
    private var pixels: [UInt32]

    init(_ size: PixelSize) {
        self.size = size
        pixels = [UInt32](repeating: 0, count: size.pixelCount)
    }

    /// Draws an image, and disposes of it.
    /// - Returns: The image as a change of the canvas.
    /// - Throws: `corrupt` or `truncated` for damaged codes.
    mutating func draw(_ frame: GIFFrame, globalPalette: [UInt8]?) throws(ImageError) -> GIFChange {
        let (region, width) = (frame.region, frame.region.width)
        let colors = frame.colors(globalPalette: globalPalette).map { color -> UInt32 in
            color.alpha == 0
                ? 0 : 0xFF00_0000 | UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
        }
        var change = GIFChange(
            region: region, indices: [UInt8](repeating: 0, count: region.size.pixelCount),
            optional: [Bool](repeating: false, count: region.size.pixelCount), colors: colors)
        let before = frame.control.disposal == .previous ? pixels : []
        var reader = try GIFIndexReader(frame)
        for y in frame.rowOrder {
            guard let range = reader.nextRow(frame.data) else {
                throw reader.failure
                    ?? ImageError(
                        .truncated, "the GIF image's codes end before its last row", byteOffset: frame.dataOffset)
            }
            let (row, start) = (reader.row, (region.y + y) * size.width + region.x)
            for x in 0..<width {
                let index = row[range.lowerBound + x]
                let color = colors[Int(index)]
                change.indices[y * width + x] = index
                change.optional[y * width + x] = color == 0 || color == pixels[start + x]
                if color != 0 { pixels[start + x] = color }
            }
        }
        switch frame.control.disposal {
        case .keep: break
        case .previous: pixels = before
        case .background:
            for y in region.y..<(region.y + region.height) {
                for x in region.x..<(region.x + width) { pixels[y * size.width + x] = 0 }
            }
        }
        return change
    }
}
