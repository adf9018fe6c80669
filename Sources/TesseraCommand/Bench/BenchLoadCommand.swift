internal import ArgumentParser

/// `tessera bench load`: one load in a process that has done nothing else, for `bench jpng`, which starts it.
struct BenchLoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a picture once and print the nanoseconds it took.",
        shouldDisplay: false)

    @Argument(help: "The file.")
    var file: String

    @Flag(help: "Decode it, too.")
    var forced = false

    func run() throws {
        print(try LoadTime.measure(file, forced: forced).nanoseconds)
    }
}
