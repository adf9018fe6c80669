internal import Raster

/// Converts the changed part of an image to palette indices, reducing its colours if there are too many.
struct GIFFrameIndexer {
    let options: EncodingOptions.GIF
    /// Whether to keep an index for transparency for later frames, even if this frame doesn't need it.
    var reservesTransparency: Bool
    /// The palette of frames without a local one.
    var globalPalette: GIFPalette?

    /// The part of `pixels` in `region`, without the pixels that `canvas` already shows.
    /// - Throws: `cancelled`.
    func frame(
        _ pixels: GIFPixels, region: PixelRect, canvas: GIFPixels
    ) throws(ImageError) -> GIFIndexedFrame {
        let source = Self.crop(pixels, region)
        let below = Self.crop(canvas, region)
        let isDrawn = source.indices.map { source[$0] != below[$0] }
        let leavesSome = isDrawn.contains(false)

        if let colors = Self.colors(source, where: { isDrawn[$0] }) {
            if let global = globalPalette, !leavesSome || global.reservesTransparency,
                Set(colors).isSubset(of: global.colors)
            {
                return Self.exact(source, isDrawn, global, region: region, usesGlobalPalette: true)
            }
            let reserves = leavesSome || (reservesTransparency && colors.count < options.maximumColorCount)
            let palette = GIFPalette(colors: colors, reservesTransparency: reserves)
            if palette.count <= options.maximumColorCount {
                return Self.exact(source, isDrawn, palette, region: region)
            }
        }
        // Drawing every pixel frees the index for transparency.
        if leavesSome, let colors = Self.colors(source, where: { _ in true }),
            colors.count <= options.maximumColorCount,
            !colors.contains(GIFPixels.transparent)
        {
            let palette = GIFPalette(colors: colors, reservesTransparency: false)
            let all = [Bool](repeating: true, count: source.count)
            return Self.exact(source, all, palette, region: region)
        }
        return try reduced(source, isDrawn, leavesSome: leavesSome, region: region)
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

    /// The colours of the drawn pixels; nil if there are more than 256.
    private static func colors(_ pixels: [RGBA8], where isDrawn: (Int) -> Bool) -> [RGBA8]? {
        var table = ColorTable()
        for index in pixels.indices where isDrawn(index) {
            guard table.insert(pixels[index]) else { return nil }
        }
        return table.colors
    }

    private static func exact(
        _ source: [RGBA8], _ isDrawn: [Bool], _ palette: GIFPalette, region: PixelRect, usesGlobalPalette: Bool = false
    ) -> GIFIndexedFrame {
        // The colours of a palette are distinct.
        let table = ColorTable(palette.colors)
        let transparent = UInt8(truncatingIfNeeded: palette.transparentIndex ?? 0)
        let indices = source.indices.map { isDrawn[$0] ? table.index(of: source[$0]) : transparent }
        return GIFIndexedFrame(
            region: region, palette: palette, usesGlobalPalette: usesGlobalPalette,
            hasTransparency: isDrawn.contains(false), indices: indices)
    }

    private func reduced(
        _ source: [RGBA8], _ isDrawn: [Bool], leavesSome: Bool, region: PixelRect
    ) throws(ImageError) -> GIFIndexedFrame {
        var histogram = ColorHistogram()
        for index in source.indices where isDrawn[index] { histogram.add(source[index]) }
        let reserves = leavesSome || reservesTransparency
        try Interruption.check()
        var quantizer = ColorQuantizer(histogram)
        let colors = quantizer.palette(count: max(1, options.maximumColorCount - (reserves ? 1 : 0)))
        let palette = GIFPalette(colors: colors, reservesTransparency: reserves)

        var nearest = NearestColor(colors)
        let transparent = UInt8(truncatingIfNeeded: palette.transparentIndex ?? 0)
        var indices = [UInt8](repeating: transparent, count: source.count)
        if options.isDithered {
            var diffusion = ErrorDiffusion(width: region.width, spacing: nearest.spacing)
            for start in stride(from: 0, to: source.count, by: region.width) {
                try Interruption.check()
                var target = indices.mutableSpan
                diffusion.draw(source.span, isDrawn: isDrawn.span, from: start, with: &nearest, to: &target)
            }
        } else {
            for index in source.indices where isDrawn[index] {
                if index % region.width == 0 { try Interruption.check() }
                let pixel = source[index]
                let color = SIMD4<Int32>(Int32(pixel.red), Int32(pixel.green), Int32(pixel.blue), 0)
                indices[index] = UInt8(truncatingIfNeeded: nearest.index(of: color))
            }
        }
        return GIFIndexedFrame(region: region, palette: palette, hasTransparency: leavesSome, indices: indices)
    }
}

/// A frame's pixels as GIF can represent them: opaque, or fully transparent with a single value.
struct GIFPixels {
    let size: PixelSize
    /// Row by row from the top.
    private(set) var pixels: [RGBA8] = []

    static let transparent = RGBA8(0, 0, 0, 0)

    /// An image of transparent pixels.
    init(transparent size: PixelSize) {
        self.size = size
        pixels = [RGBA8](repeating: Self.transparent, count: size.pixelCount)
    }

    /// The pixels of a bitmap, opaque for an alpha of at least 128.
    init(_ bitmap: Bitmap) {
        size = bitmap.size
        pixels.reserveCapacity(size.pixelCount)
        let hasAlpha = bitmap.alpha.hasAlpha
        for y in 0..<bitmap.height {
            let row = bitmap.rows.row(y, as: RGBA8.self)
            for x in 0..<row.count {
                let pixel = row[x]
                pixels.append(
                    hasAlpha && pixel.alpha < 128 ? Self.transparent : RGBA8(pixel.red, pixel.green, pixel.blue))
            }
        }
    }

    /// Makes the pixels in `region` transparent.
    mutating func clear(_ region: PixelRect) {
        for y in region.y..<(region.y + region.height) {
            let start = y * size.width + region.x
            for index in start..<(start + region.width) { pixels[index] = Self.transparent }
        }
    }

    /// The smallest rectangle that contains all changed pixels; nil if there are none. `isChanged` receives the pixel
    /// here and the one in `other`.
    func bounds(
        comparedWith other: GIFPixels, where isChanged: (RGBA8, RGBA8) -> Bool
    ) -> PixelRect? {
        let width = size.width
        let pixels = pixels.span
        let others = other.pixels.span
        var (left, right, top, bottom) = (width, -1, size.height, -1)
        for y in 0..<size.height {
            let start = y * width
            // Pixels within the columns found so far can't widen the rectangle.
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
