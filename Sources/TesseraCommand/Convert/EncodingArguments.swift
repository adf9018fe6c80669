internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// How pictures are to be written, as options of a command.
struct EncodingArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How much of the picture survives in a lossy format, 0 to 1.",
            discussion: """
                0.8 is what libjpeg calls 80. JPNG's original tool counted on Apple's scale: what it made at 0.8 looks \
                like 0.94 here.
                """,
            valueName: "quality"))
    var quality = 0.8

    @Flag(help: "WebP, AVIF, HEIC and JPEG XL: keep every pixel as it is.")
    var lossless = false

    @Option(help: ArgumentHelp("Lower the quality until the file is no larger than this.", valueName: "bytes"))
    var maxBytes: Int?

    @Option(help: ArgumentHelp("Put a thumbnail of this many pixels a side into the EXIF block.", valueName: "pixels"))
    var thumbnail: Int?

    @Option(help: "WebP: 0 (fast) to 6 (small).")
    var webpMethod = 4

    @Option(help: "AVIF: 0 (small) to 10 (fast).")
    var avifSpeed = 6

    @Option(help: "JPEG XL: 1 (fast) to 9 (small).")
    var jxlEffort = 7

    @Option(help: ArgumentHelp("GIF: how many colours, 2 to 256.", valueName: "count"))
    var colors = 256

    @Flag(help: "GIF: don't mix colours that are missing from dots of others.")
    var noDither = false

    @Option(
        help: ArgumentHelp("TIFF: none, lzw, deflate or jpeg.", valueName: "name"), transform: Choice.parse)
    var tiffCompression = EncodingOptions.TIFF.Compression.lzw

    @Option(
        help: ArgumentHelp("TIFF: write tiles of this size instead of strips.", valueName: "WxH"),
        transform: PixelSize.parse)
    var tile: PixelSize?

    @Option(help: "JPNG: 1 for a PNG mask (exact), 2 for a JPEG mask.")
    var jpngVersion = 1

    @Option(help: "JPNG version 2: the mask's quality. Default: the picture's.")
    var maskQuality: Double?

    @Option(
        help: ArgumentHelp(
            "JPEG and JPNG: 4:4:4, 4:2:2, 4:2:0, 4:4:0 or 4:1:1, the resolution of colour differences.",
            valueName: "4:x:x"),
        transform: EncodingOptions.JPEG.Subsampling.parse)
    var subsampling = EncodingOptions.JPEG.Subsampling.yuv420

    @Flag(help: "JPEG: write a picture that sharpens while it loads.")
    var progressive = false

    @Flag(help: "JPEG: make the file smaller with tables of its own.")
    var optimize = false

    @Option(help: "PNG: 0 (fast) to 9 (small).")
    var compressionLevel = EncodingOptions.PNG.defaultCompressionLevel

    @Option(
        help: ArgumentHelp(
            "What shows through where the format has no transparency: six hexadecimal digits.", valueName: "rrggbb"),
        transform: RGBA8.parse)
    var background = RGBA8(255, 255, 255)

    func validate() throws {
        if quality >= 10, quality <= 100 {
            throw ValidationError("a quality of \(quality) is not between 0 and 1; did you mean \(quality / 100)?")
        }
        do throws(ImageError) {
            try options.validate()
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// The same for the library.
    var options: EncodingOptions {
        EncodingOptions(
            quality: quality, isLossless: lossless, background: background, maximumByteCount: maxBytes,
            embeddedThumbnailSize: thumbnail,
            jpeg: EncodingOptions.JPEG(
                subsampling: subsampling, isProgressive: progressive, optimizesTables: optimize),
            png: EncodingOptions.PNG(compressionLevel: compressionLevel),
            jpng: EncodingOptions.JPNG(version: jpngVersion, maskQuality: maskQuality),
            webP: EncodingOptions.WebP(method: webpMethod),
            gif: EncodingOptions.GIF(maximumColorCount: colors, isDithered: !noDither),
            tiff: EncodingOptions.TIFF(compression: tiffCompression, tileSize: tile),
            avif: EncodingOptions.AVIF(speed: avifSpeed), jpegXL: EncodingOptions.JPEGXL(effort: jxlEffort))
    }
}
