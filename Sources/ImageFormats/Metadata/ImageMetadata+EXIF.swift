internal import Raster

extension ImageMetadata {
    /// The EXIF block to write: the one there is, its orientation changed to `orientation`, or one that says only that;
    /// nil where there is nothing to say.
    var exifForWriting: [UInt8]? { EXIF.block(exif, orientation: orientation) }
}
