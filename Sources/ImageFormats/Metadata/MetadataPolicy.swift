internal import Raster

/// The metadata to keep when an image is decoded and written again.
///
/// For images decoded upright, as they are by default: the metadata kept has the orientation `.up`.
///
/// ```swift
/// let policy = MetadataPolicy.all
/// let source = try ImageRowSource(Source(path: input), options: DecodingOptions(color: policy.color))
/// let options = EncodingOptions(metadata: policy.metadata(of: source.header))
/// let file = try AtomicFile(path: output)
/// try ImageDestination(format: .jpeg, options: options).encode(source, to: file)
/// try file.commit()
/// ```
public enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
    /// EXIF, XMP, the resolution and the colour profile. Drops the thumbnail, which shows the image before the change,
    /// and extended XMP, and further images in the file, with the XMP that refers to them. A gain map is no metadata:
    /// it is written with new XMP.
    case all
    /// The colour profile only.
    case profile
    /// No metadata; pixels are converted to sRGB.
    case none

    /// The colour option for decoding: as stored if the profile is kept, otherwise sRGB.
    public var color: DecodingOptions.Color { self == .none ? .sRGB : .asStored }

    /// Returns the metadata to write with the image that `header` describes.
    ///
    /// The orientation is `.up`, in EXIF and XMP too, and the resolution's sides are swapped if the image was turned by
    /// 90°. A cursor's hot spot is always kept.
    public func metadata(of header: ImageHeader) -> ImageMetadata {
        let stored = header.metadata
        var kept = ImageMetadata(hotSpot: stored.hotSpot)
        guard self == .all else { return kept }
        kept.exif = EXIF.block(EXIF.removingThumbnail(from: stored.exif), orientation: .up)
        // A gain map that is kept gets new XMP when it is written; extended XMP isn't written.
        kept.xmp = stored.xmp.map { XMP.packet(XMP.removingReferences(from: $0), orientation: .up) }
        kept.resolution = stored.resolution
        if let resolution = stored.resolution, stored.orientation.swapsSides {
            kept.resolution = .init(horizontal: resolution.vertical, vertical: resolution.horizontal)
        }
        return kept
    }
}
