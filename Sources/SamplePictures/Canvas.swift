internal import Raster

/// An image drawn with small dots: premultiplied linear light, one float a channel.
struct Canvas {
    let size: PixelSize
    private var pixels: [SIMD4<Float>]

    /// Creates a transparent canvas.
    /// - Throws: `limitExceeded` for more than 64 megapixels, because a canvas is entirely in memory.
    init(size: PixelSize) throws(ImageError) {
        guard size.pixelCount <= 1 << 26 else {
            throw ImageError(.limitExceeded, "a drawing of \(size) pixels; the limit is 67108864")
        }
        self.size = size
        pixels = [SIMD4<Float>](repeating: SIMD4(), count: size.pixelCount)
    }

    /// Draws a dot of one pixel over the canvas, spread over four pixels by its position.
    @inline(__always)
    mutating func dot(_ x: Float, _ y: Float, _ color: SIMD3<Float>, _ alpha: Float) {
        let (left, top) = ((x - 0.5).rounded(.down), (y - 0.5).rounded(.down))
        guard left >= 0, top >= 0, left < Float(size.width - 1), top < Float(size.height - 1) else { return }
        let (u, v) = (x - 0.5 - left, y - 0.5 - top)
        let ink = SIMD4<Float>(color, 1)
        let index = Int(top) * size.width + Int(left)
        cover(index, ink, alpha * (1 - u) * (1 - v))
        cover(index + 1, ink, alpha * u * (1 - v))
        cover(index + size.width, ink, alpha * (1 - u) * v)
        cover(index + size.width + 1, ink, alpha * u * v)
    }

    @inline(__always)
    private mutating func cover(_ index: Int, _ ink: SIMD4<Float>, _ alpha: Float) {
        pixels[index] = pixels[index] + (ink - pixels[index]) * alpha
    }

    /// Returns the drawing as a bitmap with straight alpha, adding grain where it isn't transparent.
    func makeBitmap(_ info: BitmapInfo) throws(ImageError) -> Bitmap {
        var bitmap = try MutableBitmap(uninitialized: info)
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in row.indices {
                let pixel = pixels[y * size.width + x]
                guard pixel.w > 1 / 512 else {
                    row[x] = RGBA8(0, 0, 0, 0)
                    continue
                }
                let light = SIMD3(pixel.x, pixel.y, pixel.z) * (1 / pixel.w)
                let grain = Randomness.bell(Randomness.bits(x, y, seed: 23))
                row[x] = Tone.pixel(light, alpha: pixel.w, grain: grain)
            }
        }
        return bitmap.freeze()
    }
}
