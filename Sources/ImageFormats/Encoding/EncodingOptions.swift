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
    /// EXIF, XMP, resolution and, unless `.up`, an orientation for the reader to apply. In a format that has no place for
    /// an orientation the pixels are turned.
    public var metadata: ImageMetadata
    private var formatOptions = FormatOptionValues()

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

    /// What only one format has. `options.png` is `options[EncodingOptions.PNG.self]`.
    public subscript<Options: FormatEncodingOptions>(_ type: Options.Type) -> Options {
        get { formatOptions[type] }
        set { formatOptions[type] = newValue }
    }
}

extension EncodingOptions {
    /// Checks what no format could take.
    /// - Throws: `invalidParameter` for a number outside the range that its documentation gives. A quality of 0 is within:
    ///   it means the worst there is.
    public func validate() throws(ImageError) {
        try Self.checkQuality(quality)
        for (size, what) in [
            (maximumPixelSize, "a maximum pixel size"), (maximumByteCount, "a maximum byte count"),
            (embeddedThumbnailSize, "a thumbnail size"),
        ] {
            if let size, size < 1 { throw ImageError(.invalidParameter, "\(what) of \(size) is not above 0") }
        }
        try Self.check(loopCount, 0...Int.max, "a loop count")
        try formatOptions.validate()
    }

    static func checkQuality(_ quality: Double) throws(ImageError) {
        guard quality >= 0, quality <= 1 else {
            throw ImageError(.invalidParameter, "a quality of \(quality) is not between 0 and 1")
        }
    }

    static func check(_ value: Int, _ range: ClosedRange<Int>, _ what: String) throws(ImageError) {
        guard range.contains(value) else {
            let wanted =
                range.upperBound == .max
                ? "\(range.lowerBound) or more" : "between \(range.lowerBound) and \(range.upperBound)"
            throw ImageError(.invalidParameter, "\(what) of \(value) is not \(wanted)")
        }
    }
}
