public import Raster

/// Options for writing an image. A format ignores options that don't apply to it.
public struct EncodingOptions: Hashable, Sendable {
    /// The quality of lossy compression, from 0 to 1. For JPEG, 100 times this value is libjpeg's quality.
    public var quality: Double
    /// How much a lossy file must look like the image, which decides the quality in place of `quality`; nil for no target.
    ///
    /// Encoding throws `limitExceeded` if the format can't reach it. Takes about six encodes and decodes, with all pixels in
    /// memory. Frames and pages take `quality`.
    public var target: QualityTarget?
    /// Whether to preserve every pixel exactly, in formats that offer both modes (WebP, AVIF, JPEG XL).
    public var isLossless: Bool
    /// The number of times an animation plays; 0 repeats it forever.
    public var loopCount: Int
    /// The background for formats without alpha, in sRGB. Its own alpha is ignored.
    public var background: RGBA8
    /// The maximum length of the longer side in pixels; larger images are reduced before encoding. Nil for no maximum.
    public var maximumPixelSize: Int?
    /// The maximum file size in bytes; nil for no maximum.
    ///
    /// A lossy format uses the best quality, in hundredths and up to `quality`, that fits. The image is never reduced
    /// to fit; use `maximumPixelSize` for that. Encoding throws `limitExceeded` if even the lowest quality, or a
    /// lossless file, is too large. Takes up to nine encodes, with all pixels in memory.
    public var maximumByteCount: Int?
    /// The longer side in pixels of a JPEG thumbnail to embed in the EXIF block, for formats that carry EXIF; nil for
    /// none. Replaces an existing thumbnail. Its quality is the best that fits in the 64 KiB that JPEG allows for EXIF.
    public var embeddedThumbnailSize: Int?
    /// EXIF, XMP, resolution and, unless `.up`, an orientation for the reader to apply. For a format that can't store
    /// an orientation, the pixels are turned instead.
    public var metadata: ImageMetadata
    private var formatOptions = FormatOptionValues()

    /// Options with quality 0.8, a white background, no metadata and endless repetition.
    public init(
        quality: Double = 0.8, target: QualityTarget? = nil, isLossless: Bool = false, loopCount: Int = 0,
        background: RGBA8 = RGBA8(255, 255, 255),
        maximumPixelSize: Int? = nil, maximumByteCount: Int? = nil, embeddedThumbnailSize: Int? = nil,
        metadata: ImageMetadata = ImageMetadata(),
        jpeg: JPEG = JPEG(), png: PNG = PNG(), jpng: JPNG = JPNG(), webP: WebP = WebP(), gif: GIF = GIF(),
        tiff: TIFF = TIFF(), avif: AVIF = AVIF(), jpegXL: JPEGXL = JPEGXL()
    ) {
        self.quality = quality
        self.target = target
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

    /// The options of a single format. `options.png` is short for `options[EncodingOptions.PNG.self]`.
    public subscript<Options: FormatEncodingOptions>(_ type: Options.Type) -> Options {
        get { formatOptions[type] }
        set { formatOptions[type] = newValue }
    }
}

extension EncodingOptions {
    /// Checks for values that no format accepts.
    /// - Throws: `invalidParameter` for a number outside its documented range. A quality of 0 is valid.
    public func validate() throws(ImageError) {
        try Self.checkQuality(quality)
        try target?.validate()
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
