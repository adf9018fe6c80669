internal import Raster

/// What of a file's metadata goes along when its picture is written anew.
///
/// For a picture that was decoded upright, as it is unless the options say otherwise: whatever is kept says so.
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
    /// EXIF, XMP, the resolution and the colour profile. A thumbnail isn't kept: it shows the picture before the change.
    /// Nor is what XMP says of a gain map or of further pictures in the file, which aren't written.
    case all
    /// The colour profile and nothing else.
    case profile
    /// Nothing: pixels in sRGB, no word of where and by what they were taken.
    case none

    /// What colours have to be decoded as, for the profile to be kept or not to be needed.
    public var color: DecodingOptions.Color { self == .none ? .sRGB : .asStored }

    /// What to write beside the pixels of the picture that `header` speaks of.
    ///
    /// The orientation is `.up` everywhere, in EXIF and XMP too, and the resolution is turned with the picture. The pixel
    /// that a cursor points with belongs to the picture, and is always kept.
    public func metadata(of header: ImageHeader) -> ImageMetadata {
        let stored = header.metadata
        var kept = ImageMetadata(hotSpot: stored.hotSpot)
        guard self == .all else { return kept }
        kept.exif = EXIF.block(EXIF.removingThumbnail(from: stored.exif), orientation: .up)
        // Gain maps are pictures of their own, and aren't written again.
        kept.xmp = stored.xmp.map { XMP.packet(XMP.removingGainMaps(from: $0), orientation: .up) }
        kept.resolution = stored.resolution
        if let resolution = stored.resolution, stored.orientation.swapsSides {
            kept.resolution = .init(horizontal: resolution.vertical, vertical: resolution.horizontal)
        }
        return kept
    }
}
