internal import Raster

/// Turns the part of a picture that changed into indices: exactly where there are few enough colours, with the best
/// colours that can be found where not.
struct GIFFrameIndexer {
    let options: EncodingOptions.GIF
    /// Whether the palette keeps an index for transparency though this frame may not need it, for the sake of others.
    var reservesTransparency: Bool
    /// The palette that frames without one of their own use.
    var globalPalette: GIFPalette?

    /// The part of `pixels` in `region`, without the pixels that `canvas` shows already.
    func frame(_ pixels: GIFPixels, region: PixelRect, canvas: GIFPixels) -> GIFIndexedFrame {
        let source = Self.crop(pixels, region)
        let below = Self.crop(canvas, region)
        let isDrawn = source.indices.map { source[$0] != below[$0] }
        let leavesSome = isDrawn.contains(false)

        if let colors = Self.colors(source, where: { isDrawn[$0] }) {
            if let global = globalPalette, !leavesSome || global.reservesTransparency,
                Set(colors).isSubset(of: global.colors)
            {
                let table = Self.table(global)
                return Self.exact(source, isDrawn, global, table, region: region, usesGlobalPalette: true)
            }
            let reserves = leavesSome || (reservesTransparency && colors.count < options.maximumColorCount)
            let palette = GIFPalette(colors: colors, reservesTransparency: reserves)
            if palette.count <= options.maximumColorCount {
                return Self.exact(source, isDrawn, palette, Self.table(palette), region: region)
            }
        }
        // With every pixel drawn no index is lost to those that aren't.
        if leavesSome, let colors = Self.colors(source, where: { _ in true }),
            colors.count <= options.maximumColorCount,
            !colors.contains(GIFPixels.transparent)
        {
            let palette = GIFPalette(colors: colors, reservesTransparency: false)
            let all = [Bool](repeating: true, count: source.count)
            return Self.exact(source, all, palette, Self.table(palette), region: region)
        }
        return reduced(source, isDrawn, leavesSome: leavesSome, region: region)
    }

    private static func crop(_ pixels: GIFPixels, _ region: PixelRect) -> [RGBA8] {
        guard region.size != pixels.size else { return pixels.pixels }
        var part: [RGBA8] = []
        part.reserveCapacity(region.width * region.height)
        for y in region.y..<(region.y + region.height) {
            let start = y * pixels.size.width + region.x
            part.append(contentsOf: pixels.pixels[start..<(start + region.width)])
        }
        return part
    }

    /// The colours of the pixels that are drawn; nil when there are more than 256.
    private static func colors(_ pixels: [RGBA8], where isDrawn: (Int) -> Bool) -> [RGBA8]? {
        var table = PNGColorTable()
        for index in pixels.indices where isDrawn(index) {
            guard table.insert(pixels[index]) else { return nil }
        }
        return table.colors
    }

    /// The colours' indices. No two colours of a palette are equal.
    private static func table(_ palette: GIFPalette) -> PNGColorTable {
        var table = PNGColorTable()
        for color in palette.colors { _ = table.insert(color) }
        return table
    }

    private static func exact(
        _ source: [RGBA8], _ isDrawn: [Bool], _ palette: GIFPalette, _ table: PNGColorTable, region: PixelRect,
        usesGlobalPalette: Bool = false
    ) -> GIFIndexedFrame {
        let transparent = UInt8(truncatingIfNeeded: palette.transparentIndex ?? 0)
        let indices = source.indices.map { isDrawn[$0] ? table.index(of: source[$0]) : transparent }
        return GIFIndexedFrame(
            region: region, palette: palette, usesGlobalPalette: usesGlobalPalette,
            hasTransparency: isDrawn.contains(false), indices: indices)
    }

    private func reduced(
        _ source: [RGBA8], _ isDrawn: [Bool], leavesSome: Bool, region: PixelRect
    ) -> GIFIndexedFrame {
        var histogram = ColorHistogram()
        for index in source.indices where isDrawn[index] { histogram.add(source[index]) }
        let reserves = leavesSome || reservesTransparency
        var quantizer = ColorQuantizer(histogram)
        let colors = quantizer.palette(count: max(1, options.maximumColorCount - (reserves ? 1 : 0)))
        let palette = GIFPalette(colors: colors, reservesTransparency: reserves)

        var nearest = NearestColor(colors)
        let transparent = UInt8(truncatingIfNeeded: palette.transparentIndex ?? 0)
        var indices = [UInt8](repeating: transparent, count: source.count)
        if options.isDithered {
            var diffusion = ErrorDiffusion(width: region.width, spacing: nearest.spacing)
            for start in stride(from: 0, to: source.count, by: region.width) {
                var target = indices.mutableSpan
                diffusion.draw(source.span, isDrawn: isDrawn.span, from: start, with: &nearest, to: &target)
            }
        } else {
            for index in source.indices where isDrawn[index] {
                let pixel = source[index]
                let color = SIMD4<Int32>(Int32(pixel.red), Int32(pixel.green), Int32(pixel.blue), 0)
                indices[index] = UInt8(truncatingIfNeeded: nearest.index(of: color))
            }
        }
        return GIFIndexedFrame(region: region, palette: palette, hasTransparency: leavesSome, indices: indices)
    }
}
