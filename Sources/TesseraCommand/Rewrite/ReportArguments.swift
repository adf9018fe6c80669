internal import ArgumentParser
internal import ImageFormats
internal import Tessera

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

    /// Prints what was done with a file: an object for `--json`, a line for `--verbose`.
    func record(_ members: @autoclosure () -> [(String, JSONValue)], _ line: @autoclosure () -> String) {
        if json { print(JSONValue.object(members()).compactText) }
        if verbose { StandardError.note(line()) }
    }

    /// Prints what a command makes for people, unless `--quiet` or `--json` is given.
    func printResult(_ text: @autoclosure () -> String) {
        if !quiet, !json { print(text()) }
    }

    /// Prints an input that failed, as an object for `--json`, and as an error.
    func printFailure(_ error: ImageError, of input: InputLocation) {
        StandardError.report(error.message(about: input))
        if json { print(error.json(about: input).compactText) }
    }
}

/// How a command prints its result, as options.
struct ResultArguments: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing but failures; the exit status has the result.")
    var quiet = false

    /// Prints the result: JSON, or text for people.
    func show(_ value: @autoclosure () -> JSONValue, _ text: @autoclosure () -> String) {
        guard !quiet else { return }
        print(json ? value().text() : text())
    }
}
