internal import ArgumentParser
internal import ImagePyramid
internal import Tessera

/// `tessera bench open`: measures how long large images take to appear on a screen.
struct BenchOpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Measure how soon large pictures appear on a screen while they load.",
        discussion: """
            Each picture is decoded into raw tiles of all levels while it loads, in an anonymous file that is deleted \
            at the end. All pictures are opened concurrently.

            With --stats the pictures are opened in other ways too, one after the other, each time from the first \
            byte:

              at once      an overview of at most 1024 pixels, as soon as there are bytes for it
              on demand    a screen of full-size tiles, 8 by 5 from the middle, as soon as there are bytes for them
              built        a pyramid of encoded tiles in one file
              generic      decode the whole picture when the last byte is there, then make tiles
              one-shot     decode row by row into tiles when the last byte is there
              incremental  decode row by row into tiles while bytes come
              by index     on demand from a file, by the index that --index keeps

            and for each way two times are printed: from the start of the first decode to the end of the last, for all \
            pictures; and from the last byte to the end, for the picture that finished last.

            EXAMPLES
              tessera bench open survey.jpg
              tessera bench open survey.jpg map.png --stats --rate 40M
              tessera bench open survey.jpg --stats --index indexes
              tessera bench open https://example.org/a.jpg https://example.org/b.jpg --stats
            """)

    @Argument(help: ArgumentHelp("Files or URLs.", valueName: "file or url"), completion: .file())
    var addresses: [String]

    @Flag(help: "Open in every way, and compare the times.")
    var stats = false

    @Option(
        help: ArgumentHelp(
            "Limit the rate to this many bytes per second and picture; K and M are thousands and millions.",
            valueName: "bytes"),
        transform: Self.parseRate)
    var rate: Int?

    @Option(help: ArgumentHelp("Bytes per read.", valueName: "bytes"))
    var chunk = 1 << 16

    @Option(
        help: ArgumentHelp("The folder for the tiles; `memory` keeps them in memory.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "With --stats: store JPEG indexes in this folder, and measure opening with them too.",
            valueName: "folder"),
        completion: .directory)
    var index: String?

    @OptionGroup var limits: LimitsArguments

    private static func parseRate(_ argument: String) throws -> Int {
        let factors: [Character: Int] = ["K": 1000, "M": 1_000_000]
        let factor = argument.last.flatMap { factors[Character($0.uppercased())] }
        guard let number = Int(factor == nil ? argument[...] : argument.dropLast()), number > 0,
            case let (rate, overflows) = number.multipliedReportingOverflow(by: factor ?? 1), !overflows
        else { throw ValidationError("\"\(argument)\" is no rate; write a number above 0, as in 40M") }
        return rate
    }

    func validate() throws {
        guard chunk > 0 else { throw ValidationError("--chunk must be at least 1, not \(chunk)") }
        guard index == nil || stats else { throw ValidationError("--index goes with --stats") }
    }

    func run() async throws {
        let place = folder.map { $0 == "memory" ? RawTileStore.Place.memory : .folder($0) } ?? .folder(nil)
        let opening = PictureOpening(
            decoding: DecodingOptions(limits: limits.limits), tiles: RawTileStore.Options(place: place),
            indexes: index)
        let pictures = addresses.map {
            ArrivingBytes(entry: FetchEntry($0), pieceByteCount: chunk, bytesPerSecond: rate)
        }
        var table = TextTable(["way", "pictures", "megapixels", "decoding", "after the last byte", "in all"])
        var hasFailed = false
        let all = PictureOpening.Way.allCases.filter { index != nil || $0 != .byIndex }
        for way in stats ? all : [.incremental] {
            let run = await opening.run(pictures, way)
            for (picture, error) in run.failures where !hasFailed || stats {
                StandardError.report("\(way.rawValue): \(picture.entry.message(about: error))")
            }
            hasFailed = hasFailed || !run.failures.isEmpty
            table.append(run.row)
        }
        print(table)
        if hasFailed { throw ExitCode.failure }
    }
}
