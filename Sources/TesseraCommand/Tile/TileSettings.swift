internal import ImagePyramid
internal import Tessera

/// How pyramids are to be made, as the command's options say.
struct TileSettings: Sendable {
    /// nil where the output's name says it.
    var layout: PyramidLayout?
    var isZipped = false
    var tileSize = 256
    var overlap = 0
    /// What tiles are encoded in; nil for what suits the picture.
    var format: ImageFormat?
    var quality = 0.75
    var background = RGBA8(255, 255, 255)
    var identifierBase = ""
    var resumes = false
    var keepsPartial = false
    var overwrites = false
    var limits = DecodingLimits.standard
    /// By what pictures and tiles are decoded and encoded.
    var registry = CodecRegistry.default
}

extension PyramidLayout {
    /// Why pyramids of this kind can't be made of such tiles; nil when they can.
    func obstacle(_ settings: TileSettings) -> String? {
        if settings.overlap > 0, !takesOverlap {
            return "viewers of \(rawValue) don't know of overlaps; leave --overlap out"
        }
        if self == .tiff, settings.tileSize % 16 != 0 { return "tiff wants a tile size divisible by 16" }
        if self == .tiff, let format = settings.format, format != .jpeg { return "tiff takes tiles of jpg only" }
        if settings.isZipped, tree == nil { return "\(rawValue) is one file already; leave --zip out" }
        return nil
    }
}
