import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Encoding options")
struct EncodingOptionsTests {
    /// Options with one number out of its range, and what the message has to speak of.
    private static let refused: [(EncodingOptions, String)] = [
        (EncodingOptions(quality: 2), "quality"), (EncodingOptions(quality: -0.01), "quality"),
        (EncodingOptions(quality: .nan), "quality"), (EncodingOptions(jpng: .init(maskQuality: -1)), "quality"),
        (EncodingOptions(loopCount: -1), "loop count"),
        (EncodingOptions(maximumPixelSize: 0), "maximum pixel size"),
        (EncodingOptions(maximumByteCount: -5), "maximum byte count"),
        (EncodingOptions(embeddedThumbnailSize: 0), "thumbnail size"),
        (EncodingOptions(png: .init(compressionLevel: 10)), "compression level"),
        (EncodingOptions(png: .init(compressionLevel: -1)), "compression level"),
        (EncodingOptions(jpng: .init(version: 3)), "JPNG"), (EncodingOptions(jpng: .init(version: 0)), "JPNG"),
        (EncodingOptions(webP: .init(method: 7)), "WebP"), (EncodingOptions(webP: .init(method: -1)), "WebP"),
        (EncodingOptions(gif: .init(maximumColorCount: 1)), "GIF"),
        (EncodingOptions(gif: .init(maximumColorCount: 257)), "GIF"),
        (EncodingOptions(tiff: .init(tileSize: PixelSize(width: 24, height: 16))), "TIFF"),
        (EncodingOptions(tiff: .init(tileSize: PixelSize(width: 16, height: 0))), "TIFF"),
        (EncodingOptions(tiff: .init(tileSize: PixelSize(width: -16, height: 16))), "TIFF"),
        (EncodingOptions(avif: .init(speed: 11)), "AVIF"), (EncodingOptions(avif: .init(speed: -1)), "AVIF"),
        (EncodingOptions(jpegXL: .init(effort: 0)), "JPEG XL"), (EncodingOptions(jpegXL: .init(effort: 10)), "JPEG XL"),
    ]

    @Test("Numbers out of range are refused")
    func numbersOutOfRangeAreRefused() {
        for (options, part) in Self.refused {
            let error = #expect(throws: ImageError.self) { try options.validate() }
            #expect(error?.code == .invalidParameter)
            #expect(error?.message.contains(part) ?? false, "\(error?.message ?? "")")
            #expect(
                errorCode { try ImageDestination(format: .rows, options: options, registry: .rows) }
                    == .invalidParameter)
        }
    }

    @Test("The bounds of every range are accepted")
    func theEndsOfEveryRangeAreTaken() throws {
        try EncodingOptions().validate()
        try EncodingOptions(
            quality: 0, loopCount: 0, maximumPixelSize: 1, maximumByteCount: 1, embeddedThumbnailSize: 1,
            png: .init(compressionLevel: 0), webP: .init(method: 0), gif: .init(maximumColorCount: 2),
            tiff: .init(tileSize: PixelSize(width: 16, height: 32)), avif: .init(speed: 0), jpegXL: .init(effort: 1)
        ).validate()
        try EncodingOptions(
            quality: 1, loopCount: .max, png: .init(compressionLevel: 9), jpng: .init(version: 2, maskQuality: 1),
            webP: .init(method: 6), gif: .init(maximumColorCount: 256), avif: .init(speed: 10),
            jpegXL: .init(effort: 9)
        ).validate()
    }
}
