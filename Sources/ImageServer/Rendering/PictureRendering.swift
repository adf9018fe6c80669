package import ImageFormats
package import Raster

/// The rendering of an image for one response, in this order: cropped, scaled, mirrored, rotated, placed on its canvas,
/// reduced in colours, encoded.
package struct PictureRendering: Hashable, Sendable {
    /// The colours of the result.
    package enum Quality: String, Hashable, Sendable, CaseIterable {
        /// The image's own colours.
        case `default`
        /// Full colour.
        case color
        /// Shades of grey.
        case gray
        /// Black and white only.
        case bitonal
    }

    /// The region, in pixels of the upright image.
    package var region: PixelRect
    /// The size to scale to, before rotation.
    package var size: PixelSize
    /// The encoded image's size, with the result at its top left and the rest empty; nil for the result's size.
    package var canvas: PixelSize?
    /// Whether to mirror left to right, before rotation.
    package var isMirrored = false
    /// Degrees clockwise, 0 ..< 360. The result is the bounding box of the rotated image.
    package var rotation = 0.0
    /// The image's own colours by default.
    package var quality = Quality.default
    /// The format to encode.
    package var format: ImageFormat
    /// The encoder's quality, 0...1; nil for the server's default.
    package var encodingQuality: Double?

    /// Whether the decoded and scaled pixels are encoded unchanged.
    var keepsPixels: Bool {
        rotation == 0 && !isMirrored && (canvas ?? size) == size && (quality == .default || quality == .color)
    }

    /// The turn of the region in the result; nil for a rendering that does more than crop, scale and turn by multiples of
    /// 90°.
    var orientation: Orientation? {
        guard (canvas ?? size) == size, quality == .default || quality == .color else { return nil }
        let turns: [Double: Orientation] = [0: .up, 90: .right, 180: .down, 270: .left]
        return turns[rotation].map { (isMirrored ? Orientation.upMirrored : .up).followed(by: $0) }
    }

    /// Everything that the result depends on, as text for cache keys.
    package var key: String {
        "\(region.x),\(region.y),\(region.width),\(region.height)/\(size.width)x\(size.height)/"
            + "\(isMirrored ? "!" : "")\(rotation)/\(quality.rawValue)/\(format.typeIdentifier)/"
            + (encodingQuality.map { "\($0)" } ?? "") + (canvas.map { "/\($0.width)x\($0.height)" } ?? "")
    }
}

/// An encoded image.
package struct RenderedPicture: Sendable {
    /// The media type of `bytes`.
    package let mediaType: String
    /// The encoded file.
    package let bytes: ResponseBytes

    package init(mediaType: String, bytes: [UInt8]) {
        self.mediaType = mediaType
        self.bytes = ResponseBytes(bytes)
    }
}
