internal import Platform
internal import Raster

/// The gain map by which a base in high dynamic range becomes the file's own rendition in standard range.
///
/// Decoders apply it to rows where options ask for standard range; without a map, rows are tone-mapped after decoding.
struct StandardAlternate {
    /// The map, as stored beside the base.
    private let map: GainMap
    private let weight: Double
    private let limits: DecodingLimits

    /// The map of the base with `header`; nil if the options don't ask for standard range, or the file has no map to it
    /// that can be used.
    /// - Throws: `cancelled`.
    init?(
        _ header: ImageHeader, in source: @autoclosure () -> Source, of codec: any GainMapReading,
        options: DecodingOptions
    ) throws(ImageError) {
        guard Self.mayApply(to: header, of: codec, options: options) else { return nil }
        let found: GainMap?
        do throws(ImageError) {
            found = try codec.gainMap(in: source(), of: header, options: options)
        } catch {
            guard error.code != .cancelled else { throw error }
            return nil
        }
        guard let map = found else { return nil }
        weight = map.metadata.weight(forHeadroom: 0)
        guard weight != 0 else { return nil }
        self.map = map
        limits = options.limits
    }

    /// Whether a file with this header may have a map, and the options ask for what it leads to.
    static func mayApply(to header: ImageHeader, of codec: any GainMapReading, options: DecodingOptions) -> Bool {
        options.color == .sRGB && options.dynamicRange == .standard && header.profile.isHighDynamicRange
            && codec.mayHaveGainMap(header)
    }

    /// The options for decoding the base: with all of its bits, of which eight would show steps.
    static func baseOptions(_ options: DecodingOptions) -> DecodingOptions {
        var options = options
        options.maximumBitsPerChannel = 16
        return options
    }

    /// The format and size of the rendition of rows of `base`: RGB in sRGB.
    static func info(of base: BitmapInfo, options: DecodingOptions) -> BitmapInfo {
        let bits = min(base.format.bitsPerChannel, options.maximumBitsPerChannel < 16 ? 8 : 16)
        return BitmapInfo(
            size: base.size, format: .rgba8.withBitsPerChannel(bits), alpha: base.alpha.hasAlpha ? .straight : .none)
    }

    /// Returns the rendition of the rows of `base`, which `plan` selects of an image of `size`; rows that are tone-mapped if
    /// the map's pixels can't be decoded.
    /// - Throws: Errors of memory.
    static func rows(
        of base: any RowSource, by alternate: StandardAlternate?, plan: DecodingPlan, size: PixelSize,
        options: DecodingOptions
    ) throws(ImageError) -> any RowSource {
        let info = info(of: base.info, options: options)
        let straight = try base.converted(to: base.info.format, alpha: info.alpha)
        let part = GainMapRenderer.Part(plan, of: size, decodedAs: base.info.size)
        let mapped = try alternate?.rows(of: straight, part)
        return try SRGBRowSource(mapped ?? straight).converted(to: info.format, alpha: info.alpha)
    }

    /// The rendition in PQ; nil if the map's pixels can't be decoded.
    private func rows(
        of base: any RowSource, _ part: GainMapRenderer.Part
    ) throws(ImageError) -> (any RowSource)? {
        let wide = try SRGBRowSource(base, for: .high(headroom: .infinity))
        let format: PixelFormat = base.info.format.bitsPerChannel == 16 ? .rgba16 : .rgba8
        let colors = try wide.converted(to: format, alpha: base.info.alpha)
        let renderer: GainMapRenderer
        do throws(ImageError) {
            // The map is in memory as a whole.
            try limits.checkWorkingMemory(map.image.info.size.pixelCount * 4, for: "the gain map")
            renderer = try GainMapRenderer(
                map, base: colors.info, stored: base.info.profile, weight: weight, part: part)
        } catch {
            guard error.code != .cancelled else { throw error }
            return nil
        }
        return try GainMapRowSource(colors, renderer, peak: map.metadata.alternatePeak)
    }
}

extension GainMapMetadata {
    /// The brightest light of the alternate rendition in candela per square metre.
    var alternatePeak: Double {
        min(PerceptualQuantizer.white * exp2(alternateHeadroom), PerceptualQuantizer.peak)
    }
}
