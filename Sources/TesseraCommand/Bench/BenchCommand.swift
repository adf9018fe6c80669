internal import ArgumentParser

/// `tessera bench`: what can be measured.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure sizes and times on this machine.",
        subcommands: [BenchJPNGCommand.self, BenchLoadCommand.self])
}
