internal import Raster

/// A frame as it is written: indices into a palette.
struct GIFIndexedFrame {
    /// Where it goes on the canvas.
    var region: PixelRect
    /// The palette: opaque colours, and one that isn't looked at where `transparentIndex` is.
    var palette: GIFPalette
    /// Whether the palette is the file's.
    var usesGlobalPalette = false
    /// Whether any pixel is left as the canvas has it.
    var hasTransparency: Bool
    /// The indices, row after row.
    var indices: [UInt8]
}
