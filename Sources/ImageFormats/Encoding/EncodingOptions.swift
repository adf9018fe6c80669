public import Raster

/// How a picture is to be written. What a format has no use for is left aside.
public struct EncodingOptions: Hashable, Sendable {
    /// How much of the picture survives a lossy format, above 0 to 1. JPEG takes it times 100 as libjpeg's quality.
    public var quality: Double
    /// Whether every pixel is to come out as it went in, in a format that offers both (WebP, AVIF, JPEG XL).
    public var isLossless: Bool
    /// How often an animation is played, 0 for without end.
    public var loopCount: Int
    /// What shows through where a format has no alpha. sRGB, its own alpha left out of account.
    public var background: RGBA8
    /// Pixels on the longer side, at most: a larger picture is reduced before it is encoded. Nil: as large as it is.
    public var maximumPixelSize: Int?
    /// Bytes in the file, at most; nil: as many as it takes.
    ///
    /// A lossy format gets the best quality, in hundredths and no better than `quality`, at which the file is short
    /// enough; pixels are never left out for it (`maximumPixelSize` does that). `limitExceeded` where even the worst
    /// quality, or a format without loss, takes more. Takes up to eight encodes, and all pixels in memory.
    public var maximumByteCount: Int?
    /// Pixels on the longer side of a JPEG thumbnail in the EXIF block, in place of one that is there, for formats that
    /// carry EXIF; nil: none is made. Made as good as the 64 KiB allow that JPEG has for EXIF.
    public var embeddedThumbnailSize: Int?
    /// EXIF, XMP, resolution and, unless `.up`, an orientation for the reader to apply.
    public var metadata: ImageMetadata
    /// What only JPEG has.
    public var jpeg: JPEG
    /// What only PNG has.
    public var png: PNG
    /// What only JPNG has.
    public var jpng: JPNG
    /// What only WebP has.
    public var webP: WebP
    /// What only GIF has.
    public var gif: GIF
    /// What only TIFF has.
    public var tiff: TIFF
    /// What only AVIF has.
    public var avif: AVIF
    /// What only JPEG XL has.
    public var jpegXL: JPEGXL

    /// Options for JPEG.
    public struct JPEG: Hashable, Sendable {
        /// How much less resolution colour differences get than brightness.
        public enum Subsampling: String, Hashable, Sendable, CaseIterable {
            /// None.
            case yuv444 = "4:4:4"
            /// Half across.
            case yuv422 = "4:2:2"
            /// Half across and down.
            case yuv420 = "4:2:0"
            /// Half down.
            case yuv440 = "4:4:0"
            /// A quarter across.
            case yuv411 = "4:1:1"
        }

        /// How much less resolution colour differences get.
        public var subsampling: Subsampling
        /// Whether the file refines the picture scan by scan. Needs memory for all coefficients.
        public var isProgressive: Bool
        /// Whether Huffman tables are made for this picture: smaller, and needs memory for all coefficients.
        public var optimizesTables: Bool

        /// 4:2:0, baseline, the standard tables.
        public init(
            subsampling: Subsampling = .yuv420, isProgressive: Bool = false, optimizesTables: Bool = false
        ) {
            self.subsampling = subsampling
            self.isProgressive = isProgressive
            self.optimizesTables = optimizesTables
        }
    }

    /// Options for PNG.
    public struct PNG: Hashable, Sendable {
        /// How hard to compress, 0 (stored) to 9.
        public var compressionLevel: Int
        /// Whether a picture that fits a palette, fewer bits or grey losslessly is written that way.
        public var reducesColors: Bool

        /// The default level, with colours reduced where that loses nothing.
        public init(compressionLevel: Int = PNG.defaultCompressionLevel, reducesColors: Bool = true) {
            self.compressionLevel = compressionLevel
            self.reducesColors = reducesColors
        }

        /// The level that is fast and no larger than what others make by default.
        public static let defaultCompressionLevel = 5
    }

    /// Options for JPNG.
    public struct JPNG: Hashable, Sendable {
        /// 1 for a PNG mask, 2 for a JPEG mask.
        public var version: Int
        /// The quality of version 2's mask, above 0 to 1; nil: the colour part's.
        public var maskQuality: Double?

        /// Version 1.
        public init(version: Int = 1, maskQuality: Double? = nil) {
            self.version = version
            self.maskQuality = maskQuality
        }
    }

    /// Quality 0.8 on white, no metadata, without end.
    public init(
        quality: Double = 0.8, isLossless: Bool = false, loopCount: Int = 0, background: RGBA8 = RGBA8(255, 255, 255),
        maximumPixelSize: Int? = nil, maximumByteCount: Int? = nil, embeddedThumbnailSize: Int? = nil,
        metadata: ImageMetadata = ImageMetadata(),
        jpeg: JPEG = JPEG(), png: PNG = PNG(), jpng: JPNG = JPNG(), webP: WebP = WebP(), gif: GIF = GIF(),
        tiff: TIFF = TIFF(), avif: AVIF = AVIF(), jpegXL: JPEGXL = JPEGXL()
    ) {
        self.quality = quality
        self.isLossless = isLossless
        self.loopCount = loopCount
        self.background = background
        self.maximumPixelSize = maximumPixelSize
        self.maximumByteCount = maximumByteCount
        self.embeddedThumbnailSize = embeddedThumbnailSize
        self.metadata = metadata
        self.jpeg = jpeg
        self.png = png
        self.jpng = jpng
        self.webP = webP
        self.gif = gif
        self.tiff = tiff
        self.avif = avif
        self.jpegXL = jpegXL
    }
}
