internal import ImagePyramid
internal import Tessera

/// How pyramids are to be made, as the command's options say.
struct TileSettings: Sendable {
    /// nil where the output's name says it.
    var layout: PyramidLayout?
    var isZipped = false
    var tileSize = 256
    var overlap = 0
    var encoding = TileEncoding()
    var identifierBase = ""
    var resumes = false
    var keepsPartial = false
    var overwrites = false
    var limits = DecodingLimits.standard
}
