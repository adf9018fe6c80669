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

    package init(region: PixelRect, size: PixelSize, format: ImageFormat) {
        self.region = region
        self.size = size
        self.format = format
    }
}
