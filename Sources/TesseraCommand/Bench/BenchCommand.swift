internal import ArgumentParser
internal import SamplePictures
internal import ImageFormats
internal import Tessera

/// `tessera bench`: benchmarks.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure sizes and times on this machine.",
        subcommands: [BenchJPNGCommand.self, BenchLoadCommand.self, BenchOpenCommand.self])
}

/// `tessera bench jpng`: compares the sizes and load times of PNG and JPNG.
struct BenchJPNGCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jpng",
        abstract: "Compare PNG and JPNG: file size and loading time.",
        discussion: """
            Converts each PNG to JPNG, each JPNG to PNG, and other formats to both. Without files, the sample pictures \
            are used.

            Deferred: read the file and parse its header. Forced: decode the pixels too. Cold: the first load in a new \
            process. Warm: repeated loads in one process. Each time is a median.
            """)

    @Argument(help: "The files.", completion: .file())
    var files: [String] = []

    @Option(help: "JPNG's quality, 0 to 1.")
    var quality = 0.8

    @Option(help: "Number of loads; the median is reported.")
    var runs = 5

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard quality >= 0, quality <= 1 else {
            throw ValidationError("a quality of \(quality) is not between 0 and 1")
        }
        guard runs > 0 else { throw ValidationError("--runs must be at least 1, not \(runs)") }
    }

    func run() throws {
        if Self.isDebugBuild { StandardError.note("This is a debug build: its times mean nothing.") }
        var results: [PairTimes] = []
        for pair in try makePairs() { results.append(try PairTimes(pair, runs: runs)) }
        print(json ? JSONValue.array(results.map(\.json)).text() : PairTimes.table(results).description)
    }

    private func makePairs() throws(ImageError) -> [PicturePair] {
        let options = EncodingOptions(quality: quality)
        var pairs: [PicturePair] = []
        for file in files { pairs.append(try PicturePair(path: file, options: options)) }
        if files.isEmpty {
            for sample in SamplePicture.allCases {
                pairs.append(try PicturePair(sample.name, try sample.makeBitmap(), options: options))
            }
        }
        return pairs
    }

    private static var isDebugBuild: Bool {
        var isDebug = false
        // Only a debug build evaluates assertions.
        assert({ isDebug = true }() == ())
        return isDebug
    }
}

/// `tessera bench load`: measures one load in a fresh process, started by `bench jpng`.
struct BenchLoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a picture once and print the time in nanoseconds.",
        shouldDisplay: false)

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Flag(help: "Decode the pixels too.")
    var forced = false

    func run() throws {
        print(try LoadTime.measure(file, forced: forced))
    }
}
