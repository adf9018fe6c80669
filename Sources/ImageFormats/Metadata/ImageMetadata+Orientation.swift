internal import Raster

extension ImageMetadata {
    /// The orientation that the blocks give, for formats that have no other place for it: EXIF's, else XMP's where the
    /// options ask for it.
    func orientationInBlocks(_ options: DecodingOptions) -> Orientation {
        if let orientation = exif.flatMap({ EXIF($0) })?.orientation { return orientation }
        guard options.readsXMPOrientation else { return .up }
        return xmp.flatMap { XMP($0).orientation } ?? .up
    }
}
