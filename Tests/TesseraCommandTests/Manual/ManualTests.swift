import Foundation
import TestSupport
import Testing

/// The manual pages that packages include.
@Suite("Scripts/manual")
struct ManualTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let script = try Command.run(
            [Self.root.appending(path: "Scripts/manual").path, "manual"], in: folder,
            environment: ["TESSERA_PROGRAM": Command.program, "SOURCE_DATE_EPOCH": "1700000000"],
            program: try #require(CommandLineTool.python.path))
        try #require(script.status == 0, "\(script.errors)")
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func pages() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.file("manual")).map { folder.file("manual/\($0)") }
    }

    @Test("Every command has a page, with its options, their values and defaults", .needs(.python))
    func content() throws {
        #expect(try pages().count > 40)
        let convert = String(decoding: try folder.read("manual/tessera.convert.1"), as: UTF8.self)
        for part in [
            ".Dd November 14, 2023", ".Sh SYNOPSIS", ".Sh EXAMPLES", "tessera convert party.gif party.webp",
            "Default: 0.8.",
            "lanczos", "Default: white.", "Default: none.",
        ] {
            #expect(convert.contains(part), "\(part)")
        }
        let sheet = String(decoding: try folder.read("manual/tessera.sheet.1"), as: UTF8.self)
        #expect(sheet.contains("Default: 6.") && sheet.contains("One of name, stem, none."))
        #expect(!FileManager.default.fileExists(atPath: folder.file("manual/tessera.bench.load.1")))
    }

    @Test("mandoc has no warning about any page", .needs(.python, CommandLineTool("mandoc")))
    func mandoc() throws {
        let output = try #require(
            try CommandLineTool("mandoc").output(["-Tlint", "-Wstyle"] + pages(), successes: [0, 1, 2, 3]))
        // Pages that aren't installed can't be found.
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
            .filter { !$0.contains("referenced manual not found") }
        #expect(lines.isEmpty, "\(lines.joined(separator: "\n"))")
    }

    @Test("man has no warning about any page", .needs(.python, CommandLineTool("man"), CommandLineTool("groff")))
    func man() throws {
        for page in try pages() {
            let outcome = try Command.run(
                ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", page], in: folder,
                program: try #require(CommandLineTool("man").path))
            #expect(outcome.status == 0 && outcome.errors == "", "\(page): \(outcome.errors)")
        }
    }
}
