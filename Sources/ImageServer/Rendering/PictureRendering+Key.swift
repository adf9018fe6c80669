internal import ImageFormats
internal import Raster

extension PictureRendering {
    /// All that makes a difference to what comes of it, as text.
    package var key: String {
        "\(region.x),\(region.y),\(region.width),\(region.height)/\(size.width)x\(size.height)/"
            + "\(isMirrored ? "!" : "")\(rotation)/\(quality.rawValue)/\(format.typeIdentifier)/"
            + (encodingQuality.map { "\($0)" } ?? "") + (canvas.map { "/\($0.width)x\($0.height)" } ?? "")
    }
}
