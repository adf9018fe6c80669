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
        help: ArgumentHelp(
            "Find the lowest quality at which the file still looks like the image, as in ssimulacra2=80.",
            discussion: """
                The score of SSIMULACRA2, from 1 to 100: 90 looks the same to nearly everybody, 70 is high quality, 50 \
                medium. `tessera compare` measures it. Takes the place of --quality.
                """, valueName: "ssimulacra2=score"),
        transform: Self.parseTarget)
    var target: QualityTarget?

    @Flag(help: "Find the lowest quality at which nearly nobody sees a difference: --target ssimulacra2=90.")
    var visuallyLossless = false

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

    private static func parseTarget(_ argument: String) throws -> QualityTarget {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "ssimulacra2", let score = Double(parts[1]) else {
            throw ValidationError("write a metric and a score, as in ssimulacra2=80")
        }
        return .ssimulacra2(score)
    }

    func validate() throws {
        guard target == nil || !visuallyLossless else {
            throw ValidationError("--visually-lossless is a target; leave out one of the two")
        }
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
                quality: quality, target: visuallyLossless ? .visuallyLossless : target, background: background,
                maximumByteCount: maxBytes, embeddedThumbnailSize: thumbnail))
    }
}
