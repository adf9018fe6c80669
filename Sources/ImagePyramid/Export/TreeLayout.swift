internal import ImageFormats

/// The naming of a pyramid's files, as the standard viewers request them and libvips writes them.
public enum TreeLayout: String, CaseIterable, Hashable, Sendable {
    /// Microsoft's Deep Zoom: `NAME.dzi` and `NAME_files/LEVEL/COLUMN_ROW.jpeg`, where level 0 is a single pixel.
    case deepZoom = "deepzoom"
    /// Zoomify: `ImageProperties.xml` and `TileGroupN/LEVEL-COLUMN-ROW.jpg`.
    case zoomify
    /// Google Maps: `LEVEL/ROW/COLUMN.jpg` and `blank.png`; tiles at the edges are padded.
    case google
    /// IIIF Image API 3.0, level 0: `X,Y,W,H/W,H/0/default.jpg` and `info.json`.
    case iiif3
    /// IIIF Image API 2.1, level 0: `X,Y,W,H/W,/0/default.jpg` and `info.json`.
    case iiif2

    /// The level at which halving ends.
    public var depth: PyramidGeometry.Depth { self == .deepZoom ? .onePixel : .oneTile }

    /// Whether tiles may overlap, which only Deep Zoom supports.
    public var takesOverlap: Bool { self == .deepZoom }

    /// The padding of tiles at the right and bottom edges.
    public var padding: TileEncoding.Padding { self == .google ? .background : .none }

    var isIIIF: Bool { self == .iiif3 || self == .iiif2 }

    func filenameExtension(_ format: ImageFormat) -> String {
        self == .deepZoom && format == .jpeg ? "jpeg" : format.filenameExtension
    }
}
