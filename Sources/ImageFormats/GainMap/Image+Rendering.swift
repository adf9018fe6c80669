internal import Platform
public import Raster

extension Image {
    /// Returns the rendition for a display of `range`, made from the image and its gain map by ISO 21496-1.
    ///
    /// A rendition in high dynamic range has opaque or straight pixels of 16 bits in PQ (ITU-R BT.2100) with BT.2020's
    /// primaries, and white at 203 candela per square metre (BT.2408). So it holds up to 49 times white, with steps
    /// below 0.1%, and every conversion to sRGB treats it as it treats PQ in files. An image without a map is returned
    /// unchanged, and so is one whose headroom is already enough.
    ///
    /// ```swift
    /// let bright = try Image(path: "photo.jpg").rendered(for: .high(headroom: 4))
    /// ```
    /// - Throws: `invalidParameter` for a headroom below 1; `unsupported` for a base in high dynamic range that must be
    ///   reduced; errors of decoding.
    public func rendered(for range: DynamicRange) throws(ImageError) -> Image {
        let headroom =
            switch range {
            case .standard: 1.0
            case .high(let headroom): headroom
            }
        guard headroom >= 1 else {
            throw ImageError(.invalidParameter, "invalid headroom \(headroom): it must be at least 1")
        }
        guard let map = gainMap else { return self }
        let weight = map.metadata.weight(forHeadroom: log2(headroom))
        guard weight != 0 else { return withGainMap(nil) }
        guard weight > 0 else {
            throw ImageError(.unsupported, "the base's high dynamic range can't be reduced by its gain map")
        }
        let base = try baseForRendering()
        let renderer = try GainMapRenderer(map, base: base.info, weight: weight)
        return Image(try renderer.render(base), scale: scale)
    }

    /// The pixels in RGB, opaque or straight, as stored in the file if they have its primaries.
    private func baseForRendering() throws(ImageError) -> Bitmap {
        var bitmap: Bitmap
        if let encoded = provider as? EncodedImage, encoded.header.profile != .sRGB {
            var options = encoded.options
            options.color = .asStored
            bitmap = try encoded.withRows(.full, options: options) { (rows) throws(ImageError) in
                try rows.makeBitmap()
            }.oriented(by: orientation)
        } else {
            bitmap = try self.bitmap()
        }
        if bitmap.alpha == .premultiplied { bitmap = try bitmap.converted(alpha: .straight) }
        if bitmap.format.isGray || LinearColorSpace(bitmap.profile) == nil { bitmap = try bitmap.convertedToSRGB() }
        return bitmap.format.isGray
            ? try bitmap.converted(to: bitmap.format.bitsPerChannel == 16 ? .rgba16 : .rgba8, alpha: AlphaMode.none)
            : bitmap
    }
}
