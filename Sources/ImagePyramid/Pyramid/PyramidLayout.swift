package import ImageFormats

/// The storage of a pyramid: one file, or a tree of files in a viewer's layout.
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

    /// Creates the layout for a file name's extension, in any case; nil if there is none.
    public init?(filenameExtension: String) {
        switch filenameExtension.lowercased() {
        case "pyramid": self = .packed
        case "dzi", "szi": self = .deepZoom
        case "tif", "tiff": self = .tiff
        default: return nil
        }
    }

    /// The naming of a tree's files; nil for a layout of one file.
    public var tree: TreeLayout? { TreeLayout(rawValue: rawValue) }

    /// The level at which halving ends.
    package var depth: PyramidGeometry.Depth { tree?.depth ?? .oneTile }

    /// The padding of tiles at the right and bottom edges.
    package var padding: TileEncoding.Padding { self == .tiff ? .edges : tree?.padding ?? .none }

    /// Whether tiles may extend into their neighbours.
    package var takesOverlap: Bool { self == .packed || tree?.takesOverlap == true }

    /// Returns the default format of tiles: JPEG; for an image with transparency WebP, or PNG if WebP can't be written.
    package static func tileFormat(hasAlpha: Bool, registry: CodecRegistry = .default) -> ImageFormat {
        guard hasAlpha else { return .jpeg }
        return registry.canEncode(.webP) ? .webP : .png
    }
}
