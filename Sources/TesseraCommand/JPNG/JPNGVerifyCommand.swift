internal import ArgumentParser
internal import Tessera

/// `tessera jpng verify`: whether files are sound.
struct JPNGVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check JPNG files: the footer, the layout, and that both parts decode to the end.",
        discussion: """
            Prints a line for each file, and what is wrong at which byte. The exit status is 1 if anything is. What is \
            unusual but readable (another identifier than the usual, a mask of another size, bytes that mean nothing) \
            is told, too, and is no error.
            """)

    @Argument(help: "The files.", completion: .file(extensions: ["jpng"]))
    var files: [String]

    func run() throws {
        var failed = false
        for file in files {
            do {
                let bytes = try WholeFile.read(file)
                let report = JPNGReport(bytes)
                for note in report.notes { print("\(file): note: \(note)") }
                if let problem = report.problem {
                    print("\(file): wrong: \(problem)")
                    failed = true
                } else {
                    print("\(file): ok")
                }
            } catch {
                StandardError.report("\(error)")
                failed = true
            }
        }
        if failed { throw ExitCode.failure }
    }
}
