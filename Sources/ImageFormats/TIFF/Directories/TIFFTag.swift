#if TIFF
/// Numbers of fields (TIFF 6.0; TIFF Technical Note 1; XMP part 3; EXIF 2.32, 4.6).
enum TIFFTag {
    static let newSubfileType = 254
    static let subfileType = 255
    static let width = 256
    static let height = 257
    static let imageDescription = 270
    static let make = 271
    static let model = 272
    static let orientation = 274
    static let horizontalResolution = 282
    static let verticalResolution = 283
    static let resolutionUnit = 296
    static let software = 305
    static let dateTime = 306
    static let artist = 315
    static let tileWidth = 322
    static let subDirectories = 330
    static let extraSamples = 338
    static let xmp = 700
    static let copyright = 33432
    static let iccProfile = 34675
    static let exifDirectory = 34665
    static let gpsDirectory = 34853
    static let interoperabilityDirectory = 40965

    /// Text about the picture that EXIF has in its first directory, as TIFF has it.
    static let texts = [imageDescription, make, model, software, dateTime, artist, copyright]
}
#endif
