internal import Platform
public import Raster

extension Image {
    /// Returns the image in standard range with a gain map that leads back to its high dynamic range, for formats like JPEG.
    ///
    /// An image in PQ or HLG is compressed to sRGB (`rendered(for: .standard)`), and the map has what is lost by that. For an
    /// image with a gain map, the map is made again from the two renditions. Others are returned unchanged. All pixels are
    /// decoded. Maps have a gain for each channel and half the image's width and height; gains apply in sRGB's primaries, so
    /// colours outside of them lose saturation.
    ///
    /// ```swift
    /// try Image(path: "photo.avif").withMadeGainMap().write(to: "photo.jpg")
    /// ```
    /// - Throws: Errors of decoding, and `unsupported` where `rendered(for:)` does.
    public func withMadeGainMap() throws(ImageError) -> Image {
        let high = try rendered(for: .high(headroom: .infinity)).bitmap()
        guard high.profile.isHighDynamicRange else { return self }
        var standard = try rendered(for: .standard).bitmap().convertedToSRGB()
        if standard.alpha == .premultiplied { standard = try standard.converted(alpha: .straight) }
        return try Image(standard, scale: scale, origin: origin).withGainMap(GainMap(from: standard, to: high))
    }
}

extension GainMap {
    /// The map from `base` in sRGB to `high` in PQ, which has the same size; nil if the high rendition is nowhere brighter or
    /// darker.
    ///
    /// The formula of ISO 21496-1 solved for the gain, averaged over two by two pixels.
    init?(from base: Bitmap, to high: Bitmap) throws(ImageError) {
        let base = try base.converted(to: .rgba16, alpha: base.alpha.hasAlpha ? .straight : AlphaMode.none)
        let high = try high.converted(for: .high(headroom: .infinity))
            .converted(to: .rgba16, alpha: high.alpha.hasAlpha ? .straight : AlphaMode.none)
        guard base.size == high.size, let wide = LinearColorSpace.makeBT2020(), let standard = LinearColorSpace(.sRGB),
            let space = HighDynamicRangeSpace(high.profile)
        else { return nil }
        let size = PixelSize(width: (base.width + 1) / 2, height: (base.height + 1) / 2)
        let toStandard = (wide.matrix(to: standard) * (PerceptualQuantizer.peak / PerceptualQuantizer.white)).single
        let (storedLight, highLight) = (standard.light(bits: 16), Self.highLight)
        var gains = [SIMD4<Float>](repeating: .zero, count: size.pixelCount)
        let offset = SIMD4<Float>(repeating: Self.offset)
        var (lowest, highest, brightest) = (Float.infinity, -Float.infinity, Float(0))
        for y in 0..<base.height {
            let (below, above) = (base.rows.row(y, as: RGBA16.self), high.rows.row(y, as: RGBA16.self))
            let light = (below: storedLight.span, above: highLight.span)
            for x in 0..<base.width {
                let (a, b) = (below[x], above[x])
                let from = SIMD4(
                    light.below[Int(a.red)], light.below[Int(a.green)], light.below[Int(a.blue)], 0)
                var to =
                    toStandard
                    * SIMD4(light.above[Int(b.red)], light.above[Int(b.green)], light.above[Int(b.blue)], 0)
                to.replace(with: 0, where: to .< 0)
                brightest = max(brightest, to.max())
                let ratio = (to + offset) / (from + offset)
                let gain = SIMD4(log2(ratio.x), log2(ratio.y), log2(ratio.z), 0)
                gains[y / 2 * size.width + x / 2] += gain
            }
        }
        for index in gains.indices {
            let (x, y) = (index % size.width, index / size.width)
            let count = (2 * x + 1 < base.width ? 2 : 1) * (2 * y + 1 < base.height ? 2 : 1)
            gains[index] /= Float(count)
            let gain = gains[index]
            (lowest, highest) = (min(lowest, min(gain.x, gain.y, gain.z)), max(highest, max(gain.x, gain.y, gain.z)))
        }
        guard brightest > 1 || highest - lowest > 0.01 else { return nil }
        let range = max(highest - lowest, 1 / 1024)
        var pixels = try MutableBitmap(uninitialized: BitmapInfo(size: size, format: .rgba8))
        var rows = pixels.mutableRows
        for y in 0..<size.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<size.width {
                let value = (gains[y * size.width + x] - lowest) * (255 / range) + 0.5
                // From 0.5 to 255.5, as each gain lies between the two bounds.
                row[x] = RGBA8(UInt8(min(255, value.x)), UInt8(min(255, value.y)), UInt8(min(255, value.z)))
            }
        }
        let content = Double(brightest) * PerceptualQuantizer.white
        let headroom = log2(max(1.01, min(content, space.assumedPeak) / PerceptualQuantizer.white))
        let channel = GainMapMetadata.Channel(
            minimum: Double(lowest), maximum: Double(lowest + range), baseOffset: Double(Self.offset),
            alternateOffset: Double(Self.offset))
        self.init(Image(pixels.freeze()), GainMapMetadata(channel, alternateHeadroom: headroom))
    }

    /// Added before dividing, so that black has a gain.
    private static let offset: Float = 1 / 64

    /// The light of PQ's values of 16 bits; 1 is its peak.
    private static let highLight = (0...65535).map { Float(PerceptualQuantizer.light(Double($0) / 65535)) }
}
