public import Raster

/// Metadata of an image: orientation, EXIF, XMP, resolution, and a cursor's hot spot.
public struct ImageMetadata: Hashable, Sendable {
    /// Pixels per inch, horizontally and vertically.
    public struct Resolution: Hashable, Sendable {
        /// Pixels per inch horizontally.
        public var horizontal: Double
        /// Pixels per inch vertically.
        public var vertical: Double

        /// Creates a resolution in pixels per inch.
        public init(horizontal: Double, vertical: Double) {
            self.horizontal = horizontal
            self.vertical = vertical
        }
    }

    /// The position of a pixel, from the top left.
    public struct Point: Hashable, Sendable {
        /// The column, from the left.
        public var x: Int
        /// The row, from the top.
        public var y: Int

        /// Creates the position of the pixel in column `x` of row `y`.
        public init(x: Int, y: Int) {
            self.x = x
            self.y = y
        }
    }

    /// The orientation of the stored pixels. `ImageSource` applies it by default.
    public var orientation: Orientation
    /// The EXIF block: a TIFF structure, without JPEG's "Exif" prefix.
    public var exif: [UInt8]?
    /// The XMP packet: UTF-8 XML.
    public var xmp: [UInt8]?
    /// The rest of an XMP packet too long for a JPEG segment, assembled: UTF-8 XML, identified by
    /// xmpNote:HasExtendedXMP in `xmp`. JPEG only.
    public var extendedXMP: [UInt8]?
    /// The physical resolution, if the file has one in inches or metric units.
    public var resolution: Resolution?
    /// The active pixel of a cursor.
    public var hotSpot: Point?

    /// Creates metadata; empty by default.
    public init(
        orientation: Orientation = .up, exif: [UInt8]? = nil, xmp: [UInt8]? = nil, resolution: Resolution? = nil,
        hotSpot: Point? = nil, extendedXMP: [UInt8]? = nil
    ) {
        self.orientation = orientation
        self.exif = exif
        self.xmp = xmp
        self.resolution = resolution
        self.hotSpot = hotSpot
        self.extendedXMP = extendedXMP
    }
}

extension ImageMetadata {
    /// The EXIF block to write, with its orientation set to `orientation`; nil if there is nothing to write.
    var exifForWriting: [UInt8]? { EXIF.block(exif, orientation: orientation) }
}

extension ImageMetadata {
    /// The orientation in EXIF, or else in XMP unless the options ignore it; for formats that store it nowhere else.
    func orientationInBlocks(_ options: DecodingOptions) -> Orientation {
        if let orientation = exif.flatMap({ EXIF($0) })?.orientation { return orientation }
        guard options.readsXMPOrientation else { return .up }
        return xmp.flatMap { XMP($0).orientation } ?? .up
    }
}
