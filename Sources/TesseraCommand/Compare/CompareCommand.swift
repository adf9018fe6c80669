internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// `tessera compare`: measures the differences of two images.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract:
            "Measure the differences of two images: PSNR, SSIM, SSIMULACRA2, the largest difference, the pixels that differ.",
        discussion: """
            Both images are compared upright and in sRGB, with 16 bits per channel if either has more than 8. Their \
            sizes must be equal. Of an animation or a file of several pages, the first image is compared. `-` is \
            standard input.

            Colours are multiplied by alpha, so that the colours of transparent pixels don't count. If either image \
            has alpha, it is a fourth channel.

              PSNR  Peak signal-to-noise ratio of all channels, in decibels; infinite if the images are identical.
              SSIM  Mean structural similarity of luma (Rec. 601) over white, at full size, as defined by Wang et al. \
            in 2004: Gaussian windows of 11x11 pixels, sigma 1.5. 1 if the images are identical.
              SSIMULACRA2  How alike the images look, by version 2.1 of Jon Sneyers' metric, with the first image as \
            the original: 100 if they are identical, 90 where nearly nobody sees a difference, 70 for high, 50 for \
            medium and 30 for low quality. Images with alpha are compared on dark and on light grey.

            The exit status is 0 if the images are within all limits given, 1 if they aren't, and 66 if they can't be \
            compared: one can't be read, or their sizes differ.

            EXAMPLES
              tessera compare photo.png photo.avif
              tessera compare before.png after.png --max-difference 0
              tessera compare photo.png photo.jpg --min-ssim 0.98 --min-psnr 35
              tessera compare photo.png photo.avif --min-ssimulacra2 80
              tessera compare before.png after.png --difference changes.png
              tessera compare before.png after.png --json
              tessera compare before.png after.png --max-difference 0 --quiet || echo different
            """)

    @Argument(help: "The first image.", completion: .file())
    var first: String

    @Argument(help: "The second image.", completion: .file())
    var second: String

    @Option(
        help: ArgumentHelp(
            "Write an image of the differences, black where the images are equal.",
            discussion: """
                Each channel is the absolute difference of the two images in it, or that of their alpha if that is \
                larger.
                """, valueName: "file.png"),
        completion: .file(extensions: ["png"]))
    var difference: String?

    @Option(help: ArgumentHelp("The least PSNR for exit status 0.", valueName: "dB"))
    var minPsnr: Double?

    @Option(help: ArgumentHelp("The least SSIM for exit status 0, at most 1.", valueName: "number"))
    var minSsim: Double?

    @Option(
        name: .customLong("min-ssimulacra2"),
        help: ArgumentHelp("The least SSIMULACRA2 for exit status 0, at most 100.", valueName: "score"))
    var minScore: Double?

    @Option(
        help: ArgumentHelp("The largest difference in a channel for exit status 0, 0 to 255.", valueName: "number"))
    var maxDifference: Double?

    @OptionGroup var result: ResultArguments

    @Flag(name: .shortAndLong, help: "Replace an existing image of differences.")
    var force = false

    @OptionGroup var limits: LimitsArguments

    /// The status of a comparison that couldn't be made: `EX_NOINPUT`.
    private static let notCompared = ExitCode(66)

    func validate() throws {
        guard first != "-" || second != "-" else {
            throw ValidationError("only one of the images can be standard input")
        }
        guard difference.map({ FilePath($0).filenameExtension.lowercased() == "png" }) ?? true else {
            throw ValidationError("--difference writes PNG; give a name that ends in .png")
        }
        guard minPsnr.map({ $0 >= 0 }) ?? true else {
            throw ValidationError("--min-psnr is a number of decibels, at least 0, not \(minPsnr ?? 0)")
        }
        guard minSsim.map({ $0 >= -1 && $0 <= 1 }) ?? true else {
            throw ValidationError("--min-ssim is -1 to 1, not \(minSsim ?? 0)")
        }
        guard minScore.map({ $0 <= 100 }) ?? true else {
            throw ValidationError("--min-ssimulacra2 is at most 100, not \(minScore ?? 0)")
        }
        guard maxDifference.map({ $0 >= 0 && $0 <= 255 }) ?? true else {
            throw ValidationError("--max-difference is 0 to 255, not \(maxDifference ?? 0)")
        }
    }

    func run() throws {
        let measured: ImageDifference
        do throws(ImageError) {
            measured = try compare()
        } catch {
            StandardError.report(error.message)
            throw Self.notCompared
        }
        let excesses = excesses(of: measured)
        let members: [(String, JSONValue)] = [("first", .string(first)), ("second", .string(second))]
        result.show(
            .object(members + measured.json + [("withinLimits", .boolean(excesses.isEmpty))]), measured.text)
        if !result.quiet {
            for excess in excesses { StandardError.note(excess) }
        }
        if !excesses.isEmpty { throw ExitCode.failure }
    }

    /// Reads both images, and writes the differences if that is requested.
    private func compare() throws(ImageError) -> ImageDifference {
        let inputs = (first: InputLocation(first), second: InputLocation(second))
        let (one, two) = (try open(inputs.first), try open(inputs.second))
        let rows = try DifferenceRowSource(one, two, of: inputs)
        guard let difference else {
            try rows.readAll()
            try finish(one, inputs.first)
            try finish(two, inputs.second)
            return rows.difference
        }
        let output = try EncodedOutput(.file(difference), overwrites: force)
        try ImageDestination(format: .png).encode(rows, to: output)
        try finish(one, inputs.first)
        try finish(two, inputs.second)
        try output.commit()
        return rows.difference
    }

    /// Opens an image; its rows are decoded while they are read.
    private func open(_ input: InputLocation) throws(ImageError) -> ImageRowSource {
        do throws(ImageError) {
            return try ImageRowSource(
                input.open(), options: DecodingOptions(maximumBitsPerChannel: 16, limits: limits.limits))
        } catch {
            throw error.naming(input)
        }
    }

    /// Checks the file after its last row.
    private func finish(_ source: ImageRowSource, _ input: InputLocation) throws(ImageError) {
        do throws(ImageError) {
            try source.finish()
        } catch {
            throw error.naming(input)
        }
    }

    /// Returns a line for each limit that the difference is beyond.
    private func excesses(of measured: ImageDifference) -> [String] {
        var lines: [String] = []
        let ratio = measured.peakSignalToNoiseRatio
        if let minPsnr, ratio < minPsnr {
            lines.append("PSNR of \(ratio.formatted(decimals: 2)) dB is below --min-psnr \(minPsnr)")
        }
        if let minSsim {
            if let similarity = measured.structuralSimilarity {
                if similarity < minSsim {
                    lines.append("SSIM of \(similarity.formatted(decimals: 5)) is below --min-ssim \(minSsim)")
                }
            } else if !measured.isIdentical {
                lines.append("SSIM needs images of at least 11x11 pixels; these are \(measured.size)")
            }
        }
        if let minScore, measured.perceptualScore < minScore {
            lines.append(
                "SSIMULACRA2 of \(measured.perceptualScore.formatted(decimals: 2)) is below --min-ssimulacra2 \(minScore)"
            )
        }
        if let maxDifference, measured.largestDifference > maxDifference {
            lines.append(
                "the largest difference of \(measured.largestDifference.formatted(decimals: 2)) is above "
                    + "--max-difference \(maxDifference)")
        }
        return lines
    }
}
