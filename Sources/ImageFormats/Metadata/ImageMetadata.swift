public import Raster

/// What a file says about its picture beside the pixels.
public struct ImageMetadata: Hashable, Sendable {
    /// Pixels per inch, across and down.
    public struct Resolution: Hashable, Sendable {
        /// Pixels per inch across.
        public var horizontal: Double
        /// Pixels per inch down.
        public var vertical: Double

        /// A resolution in pixels per inch.
        public init(horizontal: Double, vertical: Double) {
            self.horizontal = horizontal
            self.vertical = vertical
        }
    }

    /// A pixel, counted from the top left.
    public struct Point: Hashable, Sendable {
        /// Columns from the left.
        public var x: Int
        /// Rows from the top.
        public var y: Int

        /// The pixel in column `x` of row `y`.
        public init(x: Int, y: Int) {
            self.x = x
            self.y = y
        }
    }

    /// How stored pixels have to be turned. What decoders deliver through `ImageSource` is turned already.
    public var orientation: Orientation
    /// The EXIF block: a TIFF structure, without the "Exif" that precedes it in JPEG.
    public var exif: [UInt8]?
    /// The XMP packet: UTF-8 XML.
    public var xmp: [UInt8]?
    /// The rest of an XMP packet that was too long for one of JPEG's segments, put together: UTF-8 XML of its own, which
    /// `xmp` names in xmpNote:HasExtendedXMP. Only JPEG has it.
    public var extendedXMP: [UInt8]?
    /// The physical resolution, where the file gives one in real units.
    public var resolution: Resolution?
    /// The pixel of a cursor that points.
    public var hotSpot: Point?

    /// Nothing, or what is given.
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
    /// The EXIF block to write: the one there is, its orientation changed to `orientation`, or one that says only that;
    /// nil where there is nothing to say.
    var exifForWriting: [UInt8]? { EXIF.block(exif, orientation: orientation) }
}

extension ImageMetadata {
    /// The orientation that the blocks give, for formats that have no other place for it: EXIF's, else XMP's unless
    /// the options leave that out of account.
    func orientationInBlocks(_ options: DecodingOptions) -> Orientation {
        if let orientation = exif.flatMap({ EXIF($0) })?.orientation { return orientation }
        guard options.readsXMPOrientation else { return .up }
        return xmp.flatMap { XMP($0).orientation } ?? .up
    }
}
