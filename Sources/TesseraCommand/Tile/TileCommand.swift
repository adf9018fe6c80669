internal import ArgumentParser
internal import ImageFormats
internal import ImagePyramid
internal import Tessera

/// `tessera tile`: makes, describes, checks and reads tile pyramids.
struct TileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tile",
        abstract:
            "Build tile pyramids for zooming viewers; show, verify and extract them.",
        discussion: """
            EXAMPLES
              tessera tile scan.tif scan.pyramid
              tessera tile photo.jpg site/photo --layout deepzoom --overlap 1
              tessera tile s3://photos/survey.jpg s3://web/survey --layout deepzoom
              tessera tile info site/photo.dzi
              tessera tile verify scan.pyramid
              tessera tile extract scan.pyramid site/scan --layout iiif3
              tessera tile site photo.jpg public/photo

            `tessera tile help make` lists all options for building pyramids.
            """,
        subcommands: [
            TileMakeCommand.self, TileInfoCommand.self, TileVerifyCommand.self, TileExtractCommand.self,
            TileIndexCommand.self, TileSiteCommand.self,
        ],
        defaultSubcommand: TileMakeCommand.self)
}

/// `tessera tile verify`: decodes every tile of a pyramid.
struct TileVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read and decode every tile of a pyramid.",
        discussion: """
            Prints each missing, damaged or wrongly sized tile. The exit status is 1 if there are any.

            EXAMPLES
              tessera tile verify scan.pyramid
              tessera tile verify site/photo.dzi site/other.zip
              tessera tile verify s3://maps/map.pyramid
            """)

    @Argument(help: ArgumentHelp("Pyramids.", valueName: "pyramid"), completion: .file())
    var paths: [String]

    @OptionGroup var report: ReportArguments

    func run() async throws {
        let registry = CodecRegistry.default
        var failed = false
        for path in paths {
            do throws(ImageError) {
                let pyramid = try BucketFiles.openPyramid(path, codecs: registry)
                let progress = TileProgress()
                let faults = await Self.faults(pyramid, registry, progress)
                progress.finish()
                let whole = pyramid.geometry.tileCount - faults.count
                report.record(
                    [
                        ("file", .string(path)), ("whole", .integer(whole)),
                        (
                            "faults",
                            .array(
                                faults.map {
                                    .object([("tile", .string("\($0.address)")), ("fault", .string($0.fault))])
                                })
                        ),
                    ], "\(path): \(pyramid.geometry.size), \(pyramid.format.name)")
                for (address, fault) in faults where !report.json {
                    print("\(path): tile \(address): \(fault)")
                }
                report.printResult("\(path): \(whole) tiles whole, \(faults.count) not")
                failed = failed || !faults.isEmpty
            } catch {
                report.printFailure(error, of: .file(path))
                failed = true
            }
        }
        if failed { throw ExitCode.failure }
    }

    /// Returns the missing or damaged tiles, in order.
    private static func faults(
        _ pyramid: any StoredPyramid, _ registry: CodecRegistry, _ progress: TileProgress
    ) async -> [(address: TileAddress, fault: String)] {
        let geometry = pyramid.geometry
        let rows = geometry.levels.indices.flatMap { level in (0..<geometry.rowCount(level)).map { (level, $0) } }
        var faults: [(number: Int, address: TileAddress, fault: String)] = []
        var done = 0
        await withTaskExecutorPreference(ImageExecutor(width: ImageExecutor.processorCount)) {
            await withTaskGroup(of: (count: Int, faults: [(Int, TileAddress, String)]).self) { group in
                var waiting = rows.enumerated().makeIterator()
                func startNext() {
                    guard let (number, (level, row)) = waiting.next() else { return }
                    group.addTask {
                        let columns = 0..<geometry.columnCount(level)
                        let faults = columns.compactMap { column in
                            let address = TileAddress(level: level, column: column, row: row)
                            return pyramid.fault(at: address, codecs: registry).map { (number, address, $0) }
                        }
                        return (columns.count, faults)
                    }
                }
                for _ in 0..<ImageExecutor.processorCount { startNext() }
                for await result in group {
                    faults += result.faults
                    done += result.count
                    progress.update(done: done, of: geometry.tileCount)
                    startNext()
                }
            }
        }
        return faults.sorted { ($0.number, $0.address.column) < ($1.number, $1.address.column) }
            .map { ($0.address, $0.fault) }
    }
}
