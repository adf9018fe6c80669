internal import ImageFormats
internal import Platform
internal import Raster

/// An image file and its variants for other displays: `star.png`, `star@2x.png`, `star@3x.png`.
package enum ImageFileVariants {
    /// Returns the variant of `path` for a display of `scale`, and the scale in its name.
    ///
    /// If `path` itself has a scale and that file exists, it is used. Otherwise the display's scale comes first, then
    /// larger scales, the nearest first, then smaller ones. If there is no such file, the result is `path`.
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
