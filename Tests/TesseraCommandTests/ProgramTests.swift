import ImageFormats
import Tessera
import Testing
import TestSupport

@Suite("tessera")
struct ProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("The version is printed")
    func tellsItsVersion() throws {
        let outcome = try Command.run("--version", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.text.hasPrefix("tessera "))
        #expect(outcome.errors == "")
    }

    @Test(
        "Every command has help",
        arguments: [
            ["convert"], ["compare"], ["info"], ["jpng"], ["jpng", "split"], ["jpng", "join"], ["jpng", "verify"],
            ["bench", "jpng"], ["bench", "open"], ["demo"], ["cache"], ["cache", "info"], ["cache", "verify"],
            ["cache", "clear"],
        ])
    func helpsWithEachCommand(_ name: [String]) throws {
        let outcome = try Command.run(name + ["--help"], in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("USAGE: tessera \(name.joined(separator: " "))"))
    }

    @Test("A long list of names is taken in its order, with options before and after it")
    func takesLongLists() throws {
        let names = (0..<300).map { "\($0).png" }
        for name in names { try folder.write([], to: name) }
        for arguments in [
            ["--quiet"] + names, names + ["--quiet"], ["--limits", "frames=2"] + names, ["a", "b"] + names,
        ] {
            let outcome = try Command.run(["info"] + arguments, in: folder)
            let reported = outcome.errors.split(separator: "\n").compactMap { line in
                line.split(separator: " ").first { $0.hasSuffix(".png:") }?.dropLast()
            }
            #expect(outcome.status == 1 && reported.map(String.init) == names, "\(outcome.errors.prefix(300))")
        }
        let outcome = try Command.run(
            ["convert"] + names + ["--output-dir", "out", "--to", "gif", "--dry-run"], in: folder)
        #expect(
            outcome.text.split(separator: "\n").filter { $0.contains(".gif") }.count == 300,
            "\(outcome.text.prefix(300))")
    }

    @Test("Help and completions list the formats' options", arguments: ["convert", "effect", "fetch"])
    func offersWhatFormatsDeclare(_ command: String) throws {
        let help = try Command.run(command, "--help", in: folder).text
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for (option, formats) in FormatOption.builtIn {
            let value = option.valueName.map { "<\($0)> " } ?? ""
            let names = formats.map(\.name).joined(separator: ", ")
            let standard = option.standard.map { " (default: \($0))" } ?? ""
            #expect(words.contains("--\(option.name) \(value)\(names): \(option.help)\(standard)"))
        }
        let script = try Command.run("--generate-completion-script", "bash", in: folder).text
        #expect(FormatOption.builtIn.allSatisfy { script.contains("--\($0.option.name)") })
    }

    @Test("Completions are written", arguments: ["bash", "zsh", "fish"])
    func writesCompletions(_ shell: String) throws {
        let outcome = try Command.run("--generate-completion-script", shell, in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("convert"))
        #expect(outcome.text.contains("jpng"))
    }

    @Test("`help` explains commands")
    func explainsCommands() throws {
        for (arguments, usage) in [
            ([], "tessera <subcommand>"), (["convert"], "tessera convert INPUT"),
            (["bench", "open"], "tessera bench open"),
        ] {
            let outcome = try Command.run(["help"] + arguments, in: folder)
            #expect(outcome.status == 0 && outcome.text.contains("USAGE: \(usage)"))
        }
    }

    @Test("A command's former name works")
    func formerName() throws {
        let outcome = try Command.run("open", "--help", in: folder)
        #expect(outcome.status == 0 && outcome.text.contains("USAGE: tessera bench open"))
    }

    @Test(
        "An unknown command is refused",
        arguments: [["transmogrify"], ["help", "transmogrify"], ["help", "bench", "transmogrify"]])
    func refusesAnUnknownCommand(_ arguments: [String]) throws {
        let outcome = try Command.run(arguments, in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("transmogrify"))
        #expect(outcome.output.isEmpty)
    }
}
