internal import ImageFormats
internal import Platform
internal import Raster

/// An image file and its siblings for other displays: `star.png`, `star@2x.png`, `star@3x.png`.
package enum ImageFileVariants {
    /// The file to show for `path` on a display of `scale`, and the scale that its name gives.
    ///
    /// A path that names its scale is taken as it is where that file exists. Otherwise the file for the display's scale comes
    /// first, then larger scales, the nearest first, then smaller ones. Where there is none, the result is `path`.
    package static func file(for path: String, scale: Double) -> (path: String, scale: Double) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        let folder = String(path[..<(slash ?? path.startIndex)])
        guard let name = try? ImageName(String(path[(slash ?? path.startIndex)...]), registry: .default) else {
            return (path, 1)
        }
        let candidates = name.candidates(scale: scale, device: nil, extensions: [])
        let found = (candidates + name.unscaled.candidates(scale: scale, device: nil, extensions: []))
            .first { isRegularFile(folder + $0.path) }
        return found.map { (folder + $0.path, Double($0.scale)) } ?? (
            path, candidates.first.map { Double($0.scale) } ?? 1
        )
    }

    static func isRegularFile(_ path: String) -> Bool { FileStatus(path: path)?.isRegular ?? false }
}
