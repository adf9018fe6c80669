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

/// What a pyramid is made as.
enum PyramidLayout: String, CaseIterable {
    case packed, deepzoom, zoomify, google, iiif3, iiif2, tiff

    /// The layout that an output's extension names; nil where it names none.
    init?(filenameExtension: String) {
        switch filenameExtension.lowercased() {
        case "pyramid": self = .packed
        case "dzi", "szi": self = .deepzoom
        case "tif", "tiff": self = .tiff
        default: return nil
        }
    }

    /// How its files are named; nil where it is one file of its own.
    var tree: TreeLayout? { TreeLayout(rawValue: rawValue) }

    /// Where halving ends.
    var depth: PyramidGeometry.Depth { tree?.depth ?? .oneTile }

    /// What tiles at the edges are filled up with.
    var padding: TileEncoding.Padding { self == .tiff ? .edges : tree?.padding ?? .none }

    /// Why pyramids of this kind can't be made of such tiles; nil when they can.
    func obstacle(_ settings: TileSettings) -> String? {
        if settings.overlap > 0, self != .packed, tree?.takesOverlap != true {
            return "viewers of \(rawValue) don't know of overlaps; leave --overlap out"
        }
        if self == .tiff, settings.tileSize % 16 != 0 { return "tiff wants a tile size divisible by 16" }
        if self == .tiff, let format = settings.format, format != .jpeg { return "tiff takes tiles of jpg only" }
        if settings.isZipped, tree == nil { return "\(rawValue) is one file already; leave --zip out" }
        return nil
    }
}
