package import ImageFormats
package import Raster

/// What is to be made of a picture for one response, in this order: cut out, scaled, mirrored, turned, its colours
/// reduced, encoded.
package struct PictureRendering: Hashable, Sendable {
    /// How many colours a picture is given.
    package enum Quality: String, Hashable, Sendable, CaseIterable {
        /// As they are.
        case `default`
        /// All.
        case color
        /// Grey.
        case gray
        /// Black and white, nothing between.
        case bitonal
    }

    /// The part, in upright pixels of the picture.
    package var region: PixelRect
    /// Its size before it is turned.
    package var size: PixelSize
    /// The size of the file, whose top left the result is, the rest being empty; nil for the result's own.
    package var canvas: PixelSize?
    /// Left and right are changed, before it is turned.
    package var isMirrored = false
    /// Degrees clockwise, 0 ..< 360. The canvas holds all of the turned picture, and no more.
    package var rotation = 0.0
    /// Its colours.
    package var quality = Quality.default
    /// What it is written as.
    package var format: ImageFormat
    /// The encoder's quality, 0...1; nil for the server's own.
    package var encodingQuality: Double?

    /// Whether the pixels are written as they were decoded and scaled.
    var keepsPixels: Bool {
        rotation == 0 && !isMirrored && (canvas ?? size) == size && (quality == .default || quality == .color)
    }

    /// All that makes a difference to what comes of it, as text.
    package var key: String {
        "\(region.x),\(region.y),\(region.width),\(region.height)/\(size.width)x\(size.height)/"
            + "\(isMirrored ? "!" : "")\(rotation)/\(quality.rawValue)/\(format.typeIdentifier)/"
            + (encodingQuality.map { "\($0)" } ?? "") + (canvas.map { "/\($0.width)x\($0.height)" } ?? "")
    }
}

/// An encoded picture as it is sent.
package struct RenderedPicture: Sendable {
    /// What it is encoded as.
    package let mediaType: String
    /// The file.
    package let bytes: ResponseBytes

    package init(mediaType: String, bytes: [UInt8]) {
        self.mediaType = mediaType
        self.bytes = ResponseBytes(bytes)
    }
}
