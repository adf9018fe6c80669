internal import Platform
public import Raster

/// Pyramids that lie somewhere, whatever they are.
public enum StoredPyramids {
    /// Opens what is at `path`: a packed pyramid, a tree of tiles, an archive of one, or a TIFF of tiles; told by the first
    /// bytes, and by names for trees.
    /// - Throws: `inputOutput` when it can't be read, `unknownFormat` when it is none of these, and what is wrong with it.
    public static func open(path: String) throws(ImageError) -> any StoredPyramid {
        if let pyramid = try openIfKnown(path: path, takesTIFF: true) { return pyramid }
        throw ImageError(.unknownFormat, "\(path) is no pyramid that is known here")
    }

    /// As `open(path:)`, and nil for what is something else: a picture, perhaps.
    /// - Parameter takesTIFF: Whether a TIFF is taken for a pyramid.
    static func openIfKnown(path: String, takesTIFF: Bool) throws(ImageError) -> (any StoredPyramid)? {
        guard let status = FileStatus(path: path) else {
            // The name of Deep Zoom's document without its extension.
            guard FileStatus(path: path + ".dzi") != nil else {
                throw ImageError(.inputOutput, "\(path) can't be read: there is no such file or folder")
            }
            return try TreePyramid(path: path)
        }
        switch status.kind {
        case .folder: return try TreePyramid(path: path)
        case .regular: break
        default: return nil
        }
        let file = try InputFile(path: path)
        let first = try file.read(min(8, file.byteCount), at: 0)
        if first == PackedHeader.magic || first == PackedHeader.unfinishedMagic { return try PackedPyramid(path: path) }
        switch Array(first.prefix(2)) {
        case [0x50, 0x4B]: return try TreePyramid(path: path)
        case [0x49, 0x49], [0x4D, 0x4D]: return takesTIFF ? try TIFFPyramid(path: path) : nil
        default: return path.hasSuffix(".dzi") ? try TreePyramid(path: path) : nil
        }
    }
}
