internal import ArgumentParser

/// How much a command reports, as options.
struct ReportArguments: ParsableArguments {
    @Flag(help: "Print JSON lines: one object per file.")
    var json = false

    @Flag(name: .shortAndLong, help: "Report failures only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Report each file.")
    var verbose = false

    func validate() throws {
        guard !quiet || !verbose else { throw ValidationError("--quiet and --verbose exclude each other") }
    }
}
