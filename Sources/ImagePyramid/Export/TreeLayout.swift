internal import ImageFormats

/// How a pyramid of files is named: what the standard viewers ask for, and what libvips writes.
public enum TreeLayout: String, CaseIterable, Hashable, Sendable {
    /// Microsoft's Deep Zoom: `NAME.dzi` and `NAME_files/LEVEL/COLUMN_ROW.jpeg`, level 0 being a single pixel.
    case deepZoom = "deepzoom"
    /// Zoomify: `ImageProperties.xml` and `TileGroupN/LEVEL-COLUMN-ROW.jpg`.
    case zoomify
    /// Google Maps: `LEVEL/ROW/COLUMN.jpg` and `blank.png`; tiles at the edges are filled up.
    case google
    /// IIIF Image API 3.0, level 0: `X,Y,W,H/W,H/0/default.jpg` and `info.json`.
    case iiif3
    /// IIIF Image API 2.1, level 0: `X,Y,W,H/W,/0/default.jpg` and `info.json`.
    case iiif2

    /// Where halving ends in this layout.
    public var depth: PyramidGeometry.Depth { self == .deepZoom ? .onePixel : .oneTile }

    /// Whether tiles may overlap: only Deep Zoom's viewers know of it.
    public var takesOverlap: Bool { self == .deepZoom }

    /// What tiles at the edges are filled up with.
    public var padding: TileEncoding.Padding { self == .google ? .background : .none }

    var isIIIF: Bool { self == .iiif3 || self == .iiif2 }

    func filenameExtension(_ format: ImageFormat) -> String {
        self == .deepZoom && format == .jpeg ? "jpeg" : format.filenameExtension
    }
}
