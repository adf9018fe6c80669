internal import ImagePyramid
internal import Tessera

/// The settings for building pyramids, from the command's options.
struct TileSettings: Sendable {
    /// nil to derive the layout from the output's name.
    var layout: PyramidLayout?
    var isZipped = false
    var tileSize = 256
    var overlap = 0
    /// The format of tiles; nil to choose one that suits the image.
    var format: ImageFormat?
    var quality = 0.75
    var background = RGBA8(255, 255, 255)
    var identifierBase = ""
    var resumes = false
    var keepsPartial = false
    var keepsGainMap = true
    var overwrites = false
    var limits = DecodingLimits.standard
    /// The codecs for images and tiles.
    var registry = CodecRegistry.default
}

extension PyramidLayout {
    /// Returns the reason why this layout can't be used with `settings`; nil if it can.
    func obstacle(_ settings: TileSettings) -> String? {
        if settings.overlap > 0, !takesOverlap {
            return "\(rawValue) takes no overlap; leave --overlap out"
        }
        if self == .tiff, settings.tileSize % 16 != 0 {
            return "tiff needs a tile size divisible by 16, not \(settings.tileSize)"
        }
        if self == .tiff, let format = settings.format, format != .jpeg {
            return "tiff takes tiles of jpg only, not \(format)"
        }
        if settings.isZipped, tree == nil { return "\(rawValue) is one file already; leave --zip out" }
        return nil
    }
}
