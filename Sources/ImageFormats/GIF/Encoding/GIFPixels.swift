internal import Raster

/// A frame's pixels as a GIF can have them: opaque, or transparent and then all of one colour.
struct GIFPixels {
    let size: PixelSize
    /// Row after row.
    private(set) var pixels: [RGBA8] = []

    static let transparent = RGBA8(0, 0, 0, 0)

    /// A picture whose rows are still to come.
    init(size: PixelSize) {
        self.size = size
        pixels.reserveCapacity(size.pixelCount)
    }

    /// A picture of transparent pixels.
    init(transparent size: PixelSize) {
        self.size = size
        pixels = [RGBA8](repeating: Self.transparent, count: size.pixelCount)
    }

    /// Appends rows: pixels are opaque from an alpha of 128 on.
    mutating func append(_ rows: borrowing PixelRows, hasAlpha: Bool) {
        for y in 0..<rows.count {
            let row = rows.row(y, as: RGBA8.self)
            for x in 0..<row.count {
                let pixel = row[x]
                pixels.append(
                    hasAlpha && pixel.alpha < 128 ? Self.transparent : RGBA8(pixel.red, pixel.green, pixel.blue))
            }
        }
    }

    /// Makes a part transparent.
    mutating func clear(_ region: PixelRect) {
        for y in region.y..<(region.y + region.height) {
            let start = y * size.width + region.x
            for index in start..<(start + region.width) { pixels[index] = Self.transparent }
        }
    }

    /// The smallest part that holds all pixels that are changed; nil where none is. `isChanged` is given the pixel here
    /// and the one in `other`.
    func bounds(
        comparedWith other: GIFPixels, where isChanged: (RGBA8, RGBA8) -> Bool
    ) -> PixelRect? {
        let width = size.width
        let pixels = pixels.span
        let others = other.pixels.span
        var (left, right, top, bottom) = (width, -1, size.height, -1)
        for y in 0..<size.height {
            let start = y * width
            // Within the columns that are known to belong no pixel can widen them.
            var first = 0
            while first < width, !isChanged(pixels[start + first], others[start + first]) { first += 1 }
            guard first < width else { continue }
            var last = width - 1
            while last > max(first, right), !isChanged(pixels[start + last], others[start + last]) { last -= 1 }
            left = min(left, first)
            right = max(right, last)
            top = min(top, y)
            bottom = y
        }
        guard bottom >= 0 else { return nil }
        return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
}
