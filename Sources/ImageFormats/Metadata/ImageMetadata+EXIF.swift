internal import Raster

extension ImageMetadata {
    /// The EXIF block to write: the one there is, its orientation changed to `orientation`, or one that says only that;
    /// nil where there is nothing to say.
    var exifForWriting: [UInt8]? { EXIF.block(exif, orientation: orientation) }

    /// The JPEG thumbnail in the EXIF block; nil where there is none. Not turned, as the picture itself is stored.
    public var thumbnail: [UInt8]? { exif.flatMap { EXIF($0) }?.thumbnail }
}
