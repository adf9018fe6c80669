package import Raster

/// Puts frames' pixels onto a canvas of the same format, rgba with straight alpha or none.
package enum FrameCompositor {
    /// Draws `frame` with its first pixel at column `x` and row `y`. Traps where it doesn't lie within the canvas.
    package static func draw(
        _ frame: borrowing PixelRows, atX x: Int, y: Int, blending: AnimationFrame.Blending,
        onto canvas: inout MutablePixelRows
    ) {
        precondition(frame.format == canvas.format && x >= 0 && frame.width <= canvas.width - x)
        for index in 0..<frame.count {
            switch (blending, canvas.format) {
            case (.over, .rgba8):
                var row = canvas.row(y + index, as: RGBA8.self)
                drawOver(frame.row(index, as: RGBA8.self), onto: &row, at: x)
            case (.over, .rgba16):
                var row = canvas.row(y + index, as: RGBA16.self)
                drawOver(frame.row(index, as: RGBA16.self), onto: &row, at: x)
            default:
                let size = canvas.format.bytesPerPixel
                var row = canvas.bytes(y + index)
                let source = frame.bytes(index)
                row.withUnsafeMutableBytes { target in
                    // The frame's columns lie within the canvas, so its row fits behind the first one's place.
                    source.withUnsafeBytes {
                        UnsafeMutableRawBufferPointer(rebasing: target[(x * size)...])
                            .copyMemory(from: $0)
                    }
                }
            }
        }
    }

    /// Makes `region` transparent, or black on a canvas without alpha.
    package static func clear(_ region: PixelRect, of canvas: inout MutablePixelRows, alpha: AlphaMode) {
        let isOpaque = !alpha.hasAlpha
        for y in region.y..<(region.y + region.height) {
            switch canvas.format {
            case .rgba8: fill(canvas.row(y, as: RGBA8.self), region, with: RGBA8(0, 0, 0, isOpaque ? 255 : 0))
            case .rgba16: fill(canvas.row(y, as: RGBA16.self), region, with: RGBA16(0, 0, 0, isOpaque ? 65535 : 0))
            case .gray8: fill(canvas.row(y, as: Gray8.self), region, with: Gray8(0))
            case .gray16: fill(canvas.row(y, as: Gray16.self), region, with: Gray16(0))
            }
        }
    }

    private static func fill<P: Pixel>(_ row: consuming MutableSpan<P>, _ region: PixelRect, with pixel: P) {
        for x in region.x..<(region.x + region.width) { row[x] = pixel }
    }

    /// The over operator of Porter and Duff for straight alpha: of alphas a over b, the result's is a + b (1 - a), its
    /// colour the mean of both colours weighted by a and b (1 - a). Rounded to the nearest value.
    private static func drawOver(_ source: Span<RGBA8>, onto target: inout MutableSpan<RGBA8>, at offset: Int) {
        for index in source.indices {
            let pixel = source[index]
            let x = offset &+ index
            if pixel.alpha == 255 {
                target[x] = pixel
            } else if pixel.alpha > 0 {
                let below = target[x]
                // Weights in units of 1/255²; a weighted sum stays below 2^25.
                let front = UInt32(pixel.alpha) &* 255
                let back = UInt32(below.alpha) &* (255 &- UInt32(pixel.alpha))
                let total = front &+ back
                target[x] = RGBA8(
                    mean(pixel.red, front, below.red, back, total), mean(pixel.green, front, below.green, back, total),
                    mean(pixel.blue, front, below.blue, back, total),
                    UInt8(truncatingIfNeeded: (total &+ 127) / 255))
            }
        }
    }

    private static func drawOver(_ source: Span<RGBA16>, onto target: inout MutableSpan<RGBA16>, at offset: Int) {
        for index in source.indices {
            let pixel = source[index]
            let x = offset &+ index
            if pixel.alpha == 65535 {
                target[x] = pixel
            } else if pixel.alpha > 0 {
                let below = target[x]
                // Weights in units of 1/65535²; a weighted sum stays below 2^49.
                let front = UInt64(pixel.alpha) &* 65535
                let back = UInt64(below.alpha) &* (65535 &- UInt64(pixel.alpha))
                let total = front &+ back
                target[x] = RGBA16(
                    mean(pixel.red, front, below.red, back, total), mean(pixel.green, front, below.green, back, total),
                    mean(pixel.blue, front, below.blue, back, total),
                    UInt16(truncatingIfNeeded: (total &+ 32767) / 65535))
            }
        }
    }

    @inline(__always)
    private static func mean(_ a: UInt8, _ front: UInt32, _ b: UInt8, _ back: UInt32, _ total: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt32(a) &* front &+ UInt32(b) &* back &+ total / 2) / total)
    }

    @inline(__always)
    private static func mean(_ a: UInt16, _ front: UInt64, _ b: UInt16, _ back: UInt64, _ total: UInt64) -> UInt16 {
        UInt16(truncatingIfNeeded: (UInt64(a) &* front &+ UInt64(b) &* back &+ total / 2) / total)
    }
}
