internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// The encoding options of a command.
struct EncodingArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Quality for lossy formats, 0 to 1.",
            discussion: """
                0.8 corresponds to libjpeg's 80. The original JPNG tool used Apple's scale, whose 0.8 looks like 0.94 \
                here.
                """,
            valueName: "quality"))
    var quality = 0.8

    @Option(
        help: ArgumentHelp("Lower the quality until the file is no larger than this, as in 500K.", valueName: "bytes"),
        transform: Self.parseByteCount)
    var maxBytes: Int?

    @Option(help: ArgumentHelp("Embed an EXIF thumbnail of this size in pixels.", valueName: "pixels"))
    var thumbnail: Int?

    @Option(
        help: ArgumentHelp(
            "Background for formats without transparency: a CSS colour name or hexadecimal digits. Default: white.",
            valueName: "color"),
        completion: CSSColor.completion, transform: CSSColor.parseOpaque)
    var background = RGBA8(255, 255, 255)

    @OptionGroup var formats: FormatOptionArguments

    private static func parseByteCount(_ argument: String) throws -> Int {
        guard let count = BinaryCount.parse(argument) else {
            throw ValidationError("write a number of bytes, as in 200000 or 500K")
        }
        return count
    }

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

    /// The options as the library's type.
    var options: EncodingOptions {
        formats.applied(
            to: EncodingOptions(
                quality: quality, background: background, maximumByteCount: maxBytes, embeddedThumbnailSize: thumbnail))
    }
}
