internal import ArgumentParser
internal import ImageFormats
internal import SamplePictures
internal import Tessera

/// `tessera demo`: writes the sample images as PNG and JPNG and compares their sizes.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Write sample pictures as PNG and JPNG, and compare their sizes.",
        discussion: "The pictures are generated and always the same. Existing ones are replaced.")

    @Option(
        name: [.long, .customLong("out"), .customShort("d"), .customShort("o")],
        help: ArgumentHelp("The folder to write to.", valueName: "folder"),
        completion: .directory)
    var outputDir = "tessera-demo"

    @Option(help: "JPNG's quality, 0 to 1.")
    var quality = 0.8

    @OptionGroup var report: ReportArguments

    func validate() throws {
        guard quality >= 0, quality <= 1 else {
            throw ValidationError("a quality of \(quality) is not between 0 and 1")
        }
    }

    func run() throws {
        try FileSystem.makeFolder(outputDir)
        let options = EncodingOptions(quality: quality)
        var table = TextTable(["picture", "pixels", "PNG", "JPNG", "JPNG of PNG"])
        for sample in SamplePicture.allCases {
            let pair = try PicturePair(sample.name, sample.makeBitmap(), options: options)
            for (bytes, ending) in [(pair.png, "png"), (pair.jpng, "jpng")] {
                let path = FilePath("\(sample.name).\(ending)", in: outputDir).text
                try FileSystem.write(bytes, to: path, overwrites: true)
                report.record(
                    [("output", .string(path)), ("outputBytes", .integer(bytes.count))],
                    "\(path): \(ByteCount(bytes.count))")
            }
            table.append([
                sample.name, "\(pair.size)", "\(ByteCount(pair.png.count))", "\(ByteCount(pair.jpng.count))",
                "\((pair.ratio * 100).formatted(decimals: 0)) %",
            ])
        }
        report.printResult(table.description)
        report.printResult("The pictures are in \(outputDir).")
    }
}
