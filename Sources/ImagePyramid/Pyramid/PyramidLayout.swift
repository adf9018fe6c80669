package import ImageFormats

/// How a pyramid is stored: in one file, or as a tree of files that a viewer knows.
public enum PyramidLayout: String, CaseIterable, Hashable, Sendable {
    /// One file with an index, `NAME.pyramid`: the fastest to make and to serve.
    case packed
    /// Microsoft's Deep Zoom: `NAME.dzi` and `NAME_files`.
    case deepZoom = "deepzoom"
    /// Zoomify: a folder with `ImageProperties.xml`.
    case zoomify
    /// Google Maps: a folder of LEVEL/ROW/COLUMN.
    case google
    /// IIIF Image API 3.0, level 0: a folder with `info.json`.
    case iiif3
    /// IIIF Image API 2.1, level 0: a folder with `info.json`.
    case iiif2
    /// A tiled BigTIFF with a page for each level, `NAME.tif`.
    case tiff

    /// The layout of files with this extension; nil for one that names none. Case doesn't matter.
    public init?(filenameExtension: String) {
        switch filenameExtension.lowercased() {
        case "pyramid": self = .packed
        case "dzi", "szi": self = .deepZoom
        case "tif", "tiff": self = .tiff
        default: return nil
        }
    }

    /// How a tree's files are named; nil for a layout of one file.
    public var tree: TreeLayout? { TreeLayout(rawValue: rawValue) }

    /// The level at which halving ends.
    package var depth: PyramidGeometry.Depth { tree?.depth ?? .oneTile }

    /// What tiles at the edges are filled up with.
    package var padding: TileEncoding.Padding { self == .tiff ? .edges : tree?.padding ?? .none }

    /// Whether tiles may reach into their neighbours.
    package var takesOverlap: Bool { self == .packed || tree?.takesOverlap == true }

    /// The format of tiles where none is asked for: JPEG, or for an image with transparency WebP or, where that can't be
    /// written, PNG.
    package static func tileFormat(hasAlpha: Bool, registry: CodecRegistry = .default) -> ImageFormat {
        guard hasAlpha else { return .jpeg }
        return registry.canEncode(.webP) ? .webP : .png
    }
}
