internal import ImageFormats
package import Raster

/// The destination of a pyramid, and its layout there.
package struct PyramidPlace: Hashable, Sendable {
    /// The path for the sink: Deep Zoom's is without its document's extension.
    package let path: String
    /// The layout of the pyramid.
    package let layout: PyramidLayout
    /// Whether a tree's files are put into one archive.
    package let isZipped: Bool

    /// Creates the place at `path`, with `layout` or, if that is nil, the one of the path's extension.
    /// - Throws: `invalidParameter` for an extension without a layout, or with one that contradicts `layout`.
    package init(_ path: String, as layout: PyramidLayout?) throws(ImageError) {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
        let dot = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil }
        let ending = dot.map { name[name.index(after: $0)...].lowercased() } ?? ""
        let isArchive = ending == "zip" || ending == "szi"
        let named = PyramidLayout(filenameExtension: ending)
        guard let layout = layout ?? named ?? (isArchive || ending.isEmpty ? .deepZoom : nil) else {
            throw ImageError(
                .invalidParameter,
                "\(path): no pyramid layout has the extension \(ending); use dzi, szi, zip, pyramid or tif, or pass as:"
            )
        }
        if ending == "szi", layout != .deepZoom {
            throw ImageError(.invalidParameter, "\(path): an SZI file holds Deep Zoom tiles, not \(layout.rawValue)")
        }
        if ending == "zip", layout.tree == nil {
            throw ImageError(
                .invalidParameter, "\(path): \(layout.rawValue) is one file and is not put into an archive")
        }
        self.layout = layout
        isZipped = isArchive
        self.path = layout == .deepZoom && ending == "dzi" ? String(path.dropLast(4)) : path
    }

    /// Opens a sink for the tiles of a pyramid.
    /// - Throws: The error of creating its files.
    package func sink(
        _ geometry: PyramidGeometry, _ encoding: TileEncoding, overwriting: Bool
    ) throws(ImageError) -> any TileSink {
        if let tree = layout.tree {
            return isZipped
                ? try ZipSink(
                    path: path, layout: tree, geometry: geometry, encoding: encoding, overwrites: overwriting)
                : try TreeSink(
                    path: path, layout: tree, geometry: geometry, encoding: encoding, overwrites: overwriting)
        }
        return layout == .tiff
            ? try TIFFSink(path: path, geometry: geometry, encoding: encoding, overwrites: overwriting)
            : try PackedPyramidWriter(path: path, geometry: geometry, encoding: encoding, overwrites: overwriting)
    }
}
