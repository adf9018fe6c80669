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
                StraightOver.draw(frame.row(index, as: RGBA8.self), over: &row, at: x)
            case (.over, .rgba16):
                var row = canvas.row(y + index, as: RGBA16.self)
                StraightOver.draw(frame.row(index, as: RGBA16.self), over: &row, at: x)
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
}
