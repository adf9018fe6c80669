package import Raster

/// What the samples of a pyramid's levels are while they are in memory.
package struct LevelLayout: Hashable, Sendable {
    /// One kind of sample, kept apart from the others.
    package struct Plane: Hashable, Sendable {
        /// 1, or 4 for red, green, blue and alpha side by side.
        package var bytesPerSample: Int
        /// Pixels that a sample stands for, across and down: 1 or 2.
        package var horizontal: Int
        package var vertical: Int

        /// The plane's size in a picture of `size`.
        package func size(in size: PixelSize) -> PixelSize {
            PixelSize(
                width: (size.width + horizontal - 1) / horizontal, height: (size.height + vertical - 1) / vertical)
        }
    }

    package let planes: [Plane]
    /// Whether halving takes the mean of light rather than of the stored values; RGBA only.
    package var averagesLight = false

    /// One plane of grey.
    package static let gray = LevelLayout(planes: [Plane(bytesPerSample: 1, horizontal: 1, vertical: 1)])

    /// Pixels of `RGBA8`, opaque or premultiplied: the mean of straight ones would have the colours of what isn't seen.
    package static let rgba = LevelLayout(planes: [Plane(bytesPerSample: 4, horizontal: 1, vertical: 1)])

    /// Y, Cb and Cr, one sample of each of the last two for `horizontal` × `vertical` pixels: 2 × 2 is 4:2:0.
    package static func yCbCr(horizontal: Int, vertical: Int) -> LevelLayout {
        let chroma = Plane(bytesPerSample: 1, horizontal: horizontal, vertical: vertical)
        return LevelLayout(planes: [Plane(bytesPerSample: 1, horizontal: 1, vertical: 1), chroma, chroma])
    }

    /// A colour as the samples of each plane: JFIF 1.02's Y, Cb and Cr, its Y for grey, or the pixel itself.
    package func background(_ color: RGBA8) -> [[UInt8]] {
        if planes[0].bytesPerSample == 4 { return [[color.red, color.green, color.blue, 255]] }
        let (red, green, blue) = (Double(color.red), Double(color.green), Double(color.blue))
        let luma = 0.299 * red + 0.587 * green + 0.114 * blue
        let samples = [luma, 128 + (blue - luma) / 1.772, 128 + (red - luma) / 1.402]
        return samples.prefix(planes.count).map { [UInt8(min(255, max(0, $0.rounded())))] }
    }

    /// What stands for pixels that aren't there: nothing where there is alpha, else the background.
    package func blank(_ alpha: AlphaMode, background color: RGBA8) -> [[UInt8]] {
        alpha.hasAlpha ? [[0, 0, 0, 0]] : background(color)
    }
}
