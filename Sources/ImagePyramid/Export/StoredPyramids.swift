public import ImageFormats
internal import Platform
internal import Raster

/// Opens existing pyramids of any kind.
public enum StoredPyramids {
    /// Opens the pyramid at `path`: a packed pyramid, a tree of tiles, an archive of one, or a tiled TIFF. The first
    /// bytes identify it; a tree is identified by names.
    /// - Parameter codecs: The codecs for reading a tile's header.
    /// - Throws: `inputOutput` if it can't be read, `unknownFormat` if it is none of these, or the error of opening it.
    public static func open(
        path: String, codecs: CodecRegistry = .default
    ) throws(ImageError) -> any StoredPyramid {
        if let tree = try openTree(path: path, codecs: codecs) { return tree }
        if let pyramid = try openIfKnown(Source(regularFile: path), path: path, takesTIFF: true, codecs: codecs) {
            return pyramid
        }
        throw ImageError(
            .unknownFormat,
            "not a pyramid: neither a packed file, a tree or archive of tiles, nor a tiled TIFF")
    }

    /// Opens the packed pyramid, archive or tiled TIFF in `source`.
    /// - Throws: `unknownFormat` if it is none of these, or the error of opening it.
    public static func open(_ source: Source, codecs: CodecRegistry = .default) throws(ImageError) -> any StoredPyramid
    {
        guard let pyramid = try openIfKnown(source, path: nil, takesTIFF: true, codecs: codecs) else {
            throw ImageError(
                .unknownFormat, "not a pyramid: neither a packed file, an archive of tiles, nor a tiled TIFF")
        }
        return pyramid
    }

    /// Opens the tree of tiles at `path` if that is a folder, or the name of Deep Zoom's document without extension;
    /// returns nil for any other file.
    /// - Throws: `inputOutput` if nothing exists at `path`, or the error of opening the tree.
    static func openTree(path: String, codecs: CodecRegistry) throws(ImageError) -> (any StoredPyramid)? {
        guard let status = FileStatus(path: path) else {
            guard FileStatus(path: path + ".dzi") != nil else {
                throw ImageError(.inputOutput, "\(path) can't be read: there is no such file or folder")
            }
            return try TreePyramid(path: path, codecs: codecs)
        }
        return status.isFolder ? try TreePyramid(path: path, codecs: codecs) : nil
    }

    /// Opens the pyramid in `source`, identified by its first bytes, or by names for trees; returns nil for anything
    /// else, such as an image.
    /// - Parameters:
    ///   - path: The file's path, so that Deep Zoom's tiles are found beside it; nil if unknown.
    ///   - takesTIFF: Whether a TIFF counts as a pyramid.
    ///   - codecs: The codecs for reading a tile's header.
    /// - Throws: The error of opening the pyramid.
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
