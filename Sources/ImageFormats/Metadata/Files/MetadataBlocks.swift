internal import Raster

/// The blocks of metadata in a file, as their bytes; nil for those that it hasn't.
struct MetadataBlocks: Hashable {
    /// A TIFF structure.
    var exif: [UInt8]?
    /// A packet of XML.
    var xmp: [UInt8]?
    /// Data sets of the Information Interchange Model.
    var iptc: [UInt8]?
}

/// A file in a format whose metadata can be replaced without touching anything else.
protocol MetadataContainer {
    /// The blocks; set ones are written by `assembled()`.
    var blocks: MetadataBlocks { get }

    /// Returns the file with other blocks. All bytes that aren't metadata stay as they are.
    /// - Throws: `unsupported` for a block that the format has no place for, or that is too long for it.
    func assembled(with blocks: MetadataBlocks) throws(ImageError) -> [UInt8]
}
