public import ImageFormats
internal import Platform
internal import Raster

/// Pyramids that lie somewhere, whatever they are.
public enum StoredPyramids {
    /// Opens what is at `path`: a packed pyramid, a tree of tiles, an archive of one, or a TIFF of tiles; told by the first
    /// bytes, and by names for trees.
    /// - Parameter codecs: Those by which a tile's header may be read.
    /// - Throws: `inputOutput` when it can't be read, `unknownFormat` when it is none of these, and what is wrong with it.
    public static func open(
        path: String, codecs: CodecRegistry = .default
    ) throws(ImageError) -> any StoredPyramid {
        if let tree = try openTree(path: path, codecs: codecs) { return tree }
        if let pyramid = try openIfKnown(Source(regularFile: path), path: path, takesTIFF: true, codecs: codecs) {
            return pyramid
        }
        throw ImageError(.unknownFormat, "\(path) is no pyramid that is known here")
    }

    /// The tree of tiles at `path` where that is a folder, or the name of Deep Zoom's document without its extension; nil
    /// for anything else that is there.
    /// - Throws: `inputOutput` where nothing is there, and what is wrong with the tree.
    static func openTree(path: String, codecs: CodecRegistry) throws(ImageError) -> (any StoredPyramid)? {
        guard let status = FileStatus(path: path) else {
            guard FileStatus(path: path + ".dzi") != nil else {
                throw ImageError(.inputOutput, "\(path) can't be read: there is no such file or folder")
            }
            return try TreePyramid(path: path, codecs: codecs)
        }
        return status.isFolder ? try TreePyramid(path: path, codecs: codecs) : nil
    }

    /// The pyramid in `source`, told by its first bytes, or by names for trees; nil for something else: an image, perhaps.
    /// - Parameters:
    ///   - path: Where the file is, so that Deep Zoom's tiles are found beside it; nil where it isn't known.
    ///   - takesTIFF: Whether a TIFF is taken for a pyramid.
    ///   - codecs: Those by which a tile's header may be read.
    /// - Throws: What is wrong with the pyramid.
    static func openIfKnown(
        _ source: Source, path: String?, takesTIFF: Bool, codecs: CodecRegistry
    ) throws(ImageError) -> (any StoredPyramid)? {
        guard let first = try source.bytes(upTo: 8, at: 0) else { return nil }
        if first == PackedHeader.magic || first == PackedHeader.unfinishedMagic { return try PackedPyramid(source) }
        switch Array(first.prefix(2)) {
        case [0x50, 0x4B]:
            return TreePyramid.isArchive(source.name) ? try TreePyramid(archive: source, codecs: codecs) : nil
        case [0x49, 0x49], [0x4D, 0x4D]: return takesTIFF ? try TIFFPyramid(source) : nil
        default:
            guard let path, path.hasSuffix(".dzi") else { return nil }
            return try TreePyramid(path: path, codecs: codecs)
        }
    }
}
