internal import Platform
public import Raster

extension Image {
    /// Returns the rendition for a display of `range`, made from the image and its gain map by ISO 21496-1, or by tone
    /// mapping from an image in PQ or HLG.
    ///
    /// A rendition in high dynamic range has opaque or straight pixels of 16 bits in PQ (ITU-R BT.2100) with BT.2020's
    /// primaries, and white at 203 candela per square metre (BT.2408). So it holds up to 49 times white, with steps
    /// below 0.1%, and every conversion to sRGB treats it as it treats PQ in files. An image in standard range without a
    /// map is returned unchanged, and so is one whose headroom is already enough.
    ///
    /// A base in high dynamic range with a map to the standard range is one for displays that have its headroom. Below that
    /// the map applies, and `.standard` is the alternate rendition that the map's author made, in sRGB of 16 bits. Images opened
    /// with options that convert to sRGB have it as their own pixels, of the options' depth.
    ///
    /// Where PQ must be compressed and the file doesn't have its peak, the peak is measured: all pixels are decoded first.
    ///
    /// ```swift
    /// let bright = try Image(path: "photo.jpg").rendered(for: .high(headroom: 4))
    /// ```
    /// - Throws: `invalidParameter` for a headroom below 1; `unsupported` for a map of more than 8 bits; errors of decoding.
    public func rendered(for range: DynamicRange) throws(ImageError) -> Image {
        let headroom: Double
        switch range {
        case .asStored: return self
        case .standard: headroom = 1
        case .high(let wanted): headroom = wanted
        }
        guard headroom >= 1 else {
            throw ImageError(.invalidParameter, "invalid headroom \(headroom): it must be at least 1")
        }
        guard let map = gainMap ?? gainMapOfHighBase else { return try toneMapped(for: range) }
        let weight = map.metadata.weight(forHeadroom: log2(headroom))
        guard weight != 0 else { return try withGainMap(nil).toneMapped(for: range) }
        let (base, stored) = try baseForRendering()
        let renderer = try GainMapRenderer(map, base: base.info, stored: stored, weight: weight)
        var rendition = try renderer.render(base)
        if range == .standard {
            // The alternate rendition, whose headroom needn't be that of white.
            rendition = try rendition.withMeaning(
                alpha: rendition.alpha,
                profile: .coded(primaries: 9, transfer: 16, isGray: false, peak: map.metadata.alternatePeak)
            ).convertedToSRGB()
        }
        return Image(rendition, scale: scale, origin: origin)
    }

    /// The map of a file whose base is in high dynamic range, which isn't `gainMap` where pixels are converted to sRGB.
    private var gainMapOfHighBase: GainMap? {
        guard !hasGivenGainMap, let encoded = provider as? EncodedImage else { return nil }
        return encoded.gainMapOfHighBase?.oriented(by: orientation)
    }

    /// The image compressed to `range` if it is in PQ or HLG; otherwise unchanged.
    private func toneMapped(for range: DynamicRange) throws(ImageError) -> Image {
        let stored = (provider as? EncodedImage)?.header.profile ?? info.profile
        guard let space = HighDynamicRangeSpace(stored) else { return self }
        var bitmap = try asStored()
        if bitmap.alpha == .premultiplied { bitmap = try bitmap.converted(alpha: .straight) }
        if space.transfer == .pq, space.peak == nil, let peak = bitmap.measuredPeak(space) {
            bitmap = bitmap.withMeaning(alpha: bitmap.alpha, profile: stored.withPeak(peak))
        }
        return Image(try bitmap.converted(for: range), scale: scale, origin: origin)
    }

    /// The pixels in RGB, opaque or straight, as stored in the file if they have its primaries, and the profile whose
    /// primaries they were stored in. High dynamic range is PQ in BT.2020.
    private func baseForRendering() throws(ImageError) -> (Bitmap, stored: ColorProfile) {
        let isEncoded = (provider as? EncodedImage).map { $0.header.profile != .sRGB } ?? false
        var bitmap = try isEncoded ? asStored() : self.bitmap()
        let stored = bitmap.profile
        if bitmap.alpha == .premultiplied { bitmap = try bitmap.converted(alpha: .straight) }
        if stored.isHighDynamicRange {
            bitmap = try bitmap.converted(for: .high(headroom: .infinity))
        } else if bitmap.format.isGray || LinearColorSpace(stored) == nil {
            bitmap = try bitmap.convertedToSRGB()
        }
        guard bitmap.format.isGray else { return (bitmap, stored) }
        let format: PixelFormat = bitmap.format.bitsPerChannel == 16 ? .rgba16 : .rgba8
        return (try bitmap.converted(to: format, alpha: AlphaMode.none), stored)
    }

    /// The pixels in the file's colour space, at its depth if that is 16 bits, upright.
    private func asStored() throws(ImageError) -> Bitmap {
        guard let encoded = provider as? EncodedImage else { return try bitmap() }
        var options = encoded.options
        options.color = .asStored
        if encoded.header.profile.isHighDynamicRange { options.maximumBitsPerChannel = 16 }
        return try encoded.withRows(.full, options: options) { (rows) throws(ImageError) in
            try rows.makeBitmap()
        }.oriented(by: orientation)
    }
}

extension Bitmap {
    /// The light of the brightest value of PQ in candela per square metre, at least white; nil for black.
    fileprivate func measuredPeak(_ space: HighDynamicRangeSpace) -> Double? {
        var brightest = 0
        for y in 0..<height {
            switch format {
            case .gray8:
                let row = rows.row(y, as: Gray8.self)
                for x in row.indices { brightest = max(brightest, Int(row[x].value)) }
            case .gray16:
                let row = rows.row(y, as: Gray16.self)
                for x in row.indices { brightest = max(brightest, Int(row[x].value)) }
            case .rgba8:
                let row = rows.row(y, as: RGBA8.self)
                for x in row.indices {
                    let pixel = row[x]
                    brightest = max(brightest, Int(max(pixel.red, pixel.green, pixel.blue)))
                }
            case .rgba16:
                let row = rows.row(y, as: RGBA16.self)
                for x in row.indices {
                    let pixel = row[x]
                    brightest = max(brightest, Int(max(pixel.red, pixel.green, pixel.blue)))
                }
            }
        }
        let range = space.range(bits: format.bitsPerChannel)
        let value =
            (Double(brightest) / Double(1 << format.bitsPerChannel - 1) - range.black) / (range.white - range.black)
        let peak = PerceptualQuantizer.light(min(1, max(0, value))) * PerceptualQuantizer.peak
        return HighDynamicRangeSpace.validPeak(max(peak, PerceptualQuantizer.white))
    }
}
