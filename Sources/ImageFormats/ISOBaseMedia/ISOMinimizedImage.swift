internal import Raster

/// The `mini` box of a small file, which holds everything about an image in a few bits in place of a `meta` box (ISO/IEC
/// 23008-12, amendment for low-overhead files; the layout is that of libavif).
struct ISOMinimizedImage {
    /// A coded image of the file: the image itself, its mask, or its gain map.
    struct Coded {
        var data = 0..<0
        /// The codec's configuration.
        var configuration = 0..<0
        var size = PixelSize(width: 1, height: 1)
        var isGray = false
        var bits = 8
        /// Code points of primaries, transfer function and matrix (ITU-T H.273), and whether the range is the full one.
        var colors = (primaries: 2, transfer: 2, matrix: 2, isFullRange: true)
        var profile: Range<Int>?
        /// The contents of the boxes `clli` and `mdcv`.
        var lightLevel: [UInt8]?
        var displayVolume: [UInt8]?
    }

    /// A gain map, and the rendition that it leads to.
    struct GainMap {
        var map = Coded()
        /// The size is the upright image's, and there are no data.
        var alternate = Coded()
        var metadata = 0..<0
    }

    /// The types of the image's item and of its configuration.
    private(set) var itemType: FourCharacterCode
    private(set) var configurationType: FourCharacterCode
    private(set) var image = Coded()
    private(set) var mask: Coded?
    private(set) var isPremultiplied = false
    private(set) var gainMap: GainMap?
    private(set) var orientation = Orientation.up
    private(set) var exif: Range<Int>?
    private(set) var xmp: Range<Int>?

    /// Reads the box with `contents` in `file`, whose type has `minorVersion`: the brand of the coding, unless the box has
    /// its type.
    /// - Throws: `corrupt` for lengths that differ from the box's; `unsupported` for floating-point samples and for
    ///   compressed metadata.
    init(_ file: [UInt8], _ contents: Range<Int>, minorVersion: FourCharacterCode) throws(ImageError) {
        var fields = ISOBitReader(file, contents)
        guard try fields.number(2) == 0 else { throw fields.unsupported("a version other than 0") }
        let (hasCodecTypes, isFloat) = (try fields.flag(), try fields.flag())
        image.colors.isFullRange = try fields.flag()
        let (hasMask, hasCodePoints) = (try fields.flag(), try fields.flag())
        let (hasLight, hasProfile) = (try fields.flag(), try fields.flag())
        let (hasEXIF, hasXMP) = (try fields.flag(), try fields.flag())
        let subsampling = try fields.number(2)
        orientation = Orientation(rawValue: UInt8(try fields.number(3)) + 1) ?? .up
        let sideBits = try fields.flag() ? 15 : 7
        image.size = try fields.size(sideBits)
        try fields.skipChromaLocation(subsampling)
        guard !isFloat else { throw fields.unsupported("floating-point samples") }
        image.bits = try fields.bitDepth()
        if hasMask { isPremultiplied = try fields.flag() }
        image.isGray = subsampling == 0
        if hasCodePoints {
            image.colors.primaries = try fields.number(8)
            image.colors.transfer = try fields.number(8)
            if !image.isGray { image.colors.matrix = try fields.number(8) }
        } else {
            // With a profile, primaries and transfer function are unspecified, or else sRGB's.
            if !hasProfile { (image.colors.primaries, image.colors.transfer) = (1, 13) }
            if !image.isGray { image.colors.matrix = 6 }
        }
        if hasCodecTypes {
            itemType = try fields.code()
            configurationType = try fields.code()
        } else {
            switch minorVersion {
            case "avif": (itemType, configurationType) = ("av01", "av1C")
            case "heic": (itemType, configurationType) = ("hvc1", "hvcC")
            default: throw fields.unsupported("the coding '\(minorVersion)'")
            }
        }
        var hasAlternateProfile = false
        if hasLight { hasAlternateProfile = try readLight(&fields, sideBits) }

        // Lengths of the parts, then the parts.
        let hasMetadata = hasProfile || hasEXIF || hasXMP || gainMap != nil
        var metadataBits = 10
        if hasMetadata, try fields.flag() { metadataBits = 20 }
        let configurationBits = try fields.flag() ? 12 : 3
        let dataBits = try fields.flag() ? 28 : 15
        let profile = try hasProfile ? fields.number(metadataBits) + 1 : 0
        let alternateProfile = try hasAlternateProfile ? fields.number(metadataBits) + 1 : 0
        let mapMetadata = try gainMap != nil ? fields.number(metadataBits) : 0
        let map = try gainMap != nil ? fields.number(dataBits) : 0
        let mapConfiguration = try map > 0 ? fields.number(configurationBits) : 0
        let imageConfiguration = try fields.number(configurationBits)
        let data = try fields.number(dataBits) + 1
        let maskData = try hasMask ? fields.number(dataBits) : 0
        let maskConfiguration = try maskData > 0 ? fields.number(configurationBits) : 0
        if hasEXIF || hasXMP, try fields.flag() { throw fields.unsupported("compressed EXIF or XMP") }
        let exif = try hasEXIF ? fields.number(metadataBits) + 1 : 0
        let xmp = try hasXMP ? fields.number(metadataBits) + 1 : 0
        fields.align()

        image.configuration = try fields.bytes(imageConfiguration)
        if hasMask {
            guard maskData > 0 else { throw fields.unsupported("a mask without data") }
            var mask = Coded(size: image.size, isGray: true, bits: image.bits)
            mask.configuration = maskConfiguration > 0 ? try fields.bytes(maskConfiguration) : image.configuration
            self.mask = mask
        }
        if map > 0 {
            gainMap?.map.configuration =
                mapConfiguration > 0 ? try fields.bytes(mapConfiguration) : image.configuration
        }
        if profile > 0 { image.profile = try fields.bytes(profile) }
        if alternateProfile > 0 { gainMap?.alternate.profile = try fields.bytes(alternateProfile) }
        gainMap?.metadata = try fields.bytes(mapMetadata)
        mask?.data = try fields.bytes(maskData)
        gainMap?.map.data = try fields.bytes(map)
        image.data = try fields.bytes(data)
        if exif > 0 { self.exif = try fields.bytes(exif) }
        if xmp > 0 { self.xmp = try fields.bytes(xmp) }
        guard fields.isAtEnd else { throw fields.damage("bytes after its last part") }
    }

    /// Reads the properties of high dynamic range, and returns whether the alternate rendition has a profile.
    private mutating func readLight(_ fields: inout ISOBitReader, _ sideBits: Int) throws(ImageError) -> Bool {
        var hasAlternateProfile = false
        if try fields.flag() {
            var map = GainMap()
            map.map.size = try fields.size(sideBits)
            map.map.colors.matrix = try fields.number(8)
            map.map.colors.isFullRange = try fields.flag()
            let subsampling = try fields.number(2)
            map.map.isGray = subsampling == 0
            try fields.skipChromaLocation(subsampling)
            if try fields.flag() { throw fields.unsupported("a gain map of floating-point samples") }
            map.map.bits = try fields.bitDepth()
            hasAlternateProfile = try fields.flag()
            if try fields.flag() {
                map.alternate.colors.primaries = try fields.number(8)
                map.alternate.colors.transfer = try fields.number(8)
                map.alternate.colors.matrix = try fields.number(8)
                map.alternate.colors.isFullRange = try fields.flag()
            } else {
                map.alternate.colors = (1, 13, 6, true)
            }
            map.alternate.size = orientation.applied(to: image.size)
            gainMap = map
        }
        (image.lightLevel, image.displayVolume) = try fields.lightProperties()
        guard gainMap != nil else { return false }
        (gainMap!.alternate.lightLevel, gainMap!.alternate.displayVolume) = try fields.lightProperties()
        return hasAlternateProfile
    }
}
