#if SVG
internal import Raster

/// What part of a document's picture to draw.
struct SVGView: Hashable {
    /// The width of the whole picture, in pixels.
    var width: Double
    /// The height of the whole picture, in pixels.
    var height: Double
    /// Where the part begins, from the left.
    var x: Double
    /// Where the part begins, from the top.
    var y: Double
    /// The part's size.
    var size: PixelSize
}
#endif
