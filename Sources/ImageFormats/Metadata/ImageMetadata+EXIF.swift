internal import Raster

extension ImageMetadata {
    /// The EXIF block to write: the one there is, its orientation changed to `orientation`, or one that says only that.
    ///
    /// Nil where there is nothing to say. A block that has no place for an orientation is replaced when one is needed: a
    /// wrong orientation spoils the picture, a missing camera name doesn't.
    var exifForWriting: [UInt8]? {
        guard let exif else { return orientation == .up ? nil : Self.exif(orientation) }
        guard (Orientation(exif: exif) ?? .up) != orientation else { return exif }
        guard let offset = Orientation.offset(inEXIF: exif) else { return Self.exif(orientation) }
        var changed = exif
        changed[offset] = orientation.rawValue
        return changed
    }

    /// A little-endian TIFF structure with one directory that holds one tag.
    private static func exif(_ orientation: Orientation) -> [UInt8] {
        [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation.rawValue, 0, 0, 0, 0, 0, 0, 0]
    }
}
