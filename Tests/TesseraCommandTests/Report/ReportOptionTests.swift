import Foundation
import ImageFormats
import Raster
import TestSupport
import Testing

/// `--json`, `--quiet` and `--verbose` mean the same in every command.
@Suite("tessera: --json, --quiet, --verbose")
struct ReportOptionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let picture = try Pictures.photograph()
        try folder.write(picture.file(.png), to: "a.png")
        try folder.write(picture.file(.jpeg), to: "a.jpg")
        try folder.write(Pictures.cutout().file(.jpng), to: "a.jpng")
        try folder.write(Array("no picture".utf8), to: "text.png")
        try #require(Command.run("tile", "a.png", "a.pyramid", in: folder).status == 0)
    }

    /// Commands without one of the options, and why.
    private static let exceptions: [String: Set<String>] = [
        // The server has an access log with forms and levels of its own.
        "serve": ["json", "quiet", "verbose"],
        // Another program with a window.
        "view": ["json", "quiet", "verbose"],
        // The result is all that they print, and can't be longer.
        "sign": ["quiet", "verbose"], "formats": ["quiet", "verbose"], "bench jpng": ["quiet", "verbose"],
        "bench load": ["json", "quiet", "verbose"], "bench open": ["json", "quiet", "verbose"],
        "metadata tags": ["json", "quiet", "verbose"], "compare": ["verbose"], "metadata get": ["verbose"],
        "cache info": ["verbose"], "cache clear": ["verbose"], "tile info": ["verbose"],
    ]

    @Test("Every command has the options, but for a few")
    func options() throws {
        let outcome = try Command.run("--experimental-dump-help", in: folder)
        let dump = try #require(JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any])
        var names: [String] = []
        func walk(_ command: [String: Any], _ path: [String]) {
            let children = (command["subcommands"] as? [[String: Any]] ?? []).filter {
                $0["commandName"] as? String != "help"
            }
            for child in children { walk(child, path + [child["commandName"] as? String ?? ""]) }
            guard children.isEmpty, !path.isEmpty else { return }
            let name = path.joined(separator: " ")
            names.append(name)
            let options = (command["arguments"] as? [[String: Any]] ?? []).flatMap { argument in
                (argument["names"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            }
            let missing = Set(["json", "quiet", "verbose"]).subtracting(options)
            #expect(missing == Self.exceptions[name] ?? [], "\(name)")
        }
        walk(try #require(dump["command"] as? [String: Any]), [])
        #expect(names.count > 35 && Set(Self.exceptions.keys).isSubset(of: names + ["serve", "sign"]))
    }

    /// Commands that succeed, and the number of objects that they print.
    private static let lines: [(String, Int)] = [
        ("convert a.png out.qoi", 1), ("convert a.png --sizes 20,30 --to bmp", 2), ("effect a.png out.png --blur 1", 1),
        ("optimize a.png a.jpg --output-dir out", 2), ("transform a.jpg out.jpg --rotate 90", 1),
        ("metadata set a.jpg a.png --output-dir out --tag Artist=me", 2), ("sheet a.png a.jpg out.png", 1),
        ("animate a.png a.jpg out.gif", 1), ("fetch a.png a.jpg --out out", 2), ("preview a.jpg --out out", 1),
        ("tile a.png out.pyramid", 1), ("tile verify a.pyramid", 1), ("tile extract a.pyramid out.png --level 0", 1),
        ("tile index a.jpg", 1), ("jpng split a.jpng c.jpg m.png", 1), ("jpng verify a.jpng", 1),
        ("jpng tag a.jpng b.jpng --remove", 1), ("batch . --out out/{name}.{ext} --to bmp --fail-fast", 0),
    ]

    @Test("--json prints an object on each line and nothing else", arguments: lines.map(\.0))
    func json(_ line: String) throws {
        if line.hasPrefix("batch") { try FileManager.default.removeItem(atPath: folder.file("text.png")) }
        let outcome = try Command.run(line.split(separator: " ").map(String.init) + ["--json"], in: folder)
        #expect(outcome.status == 0, "\(line): \(outcome.errors)")
        let objects = outcome.text.split(separator: "\n").map {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(!objects.isEmpty && objects.allSatisfy { $0 != nil }, "\(line): \(outcome.text)")
        let count = try #require(Self.lines.first { $0.0 == line }).1
        #expect(count == 0 || line.hasPrefix("preview") || objects.count == count, "\(line): \(outcome.text)")
    }

    @Test("--quiet prints nothing, --verbose a line for each file", arguments: lines.map(\.0))
    func quietAndVerbose(_ line: String) throws {
        try FileManager.default.removeItem(atPath: folder.file("text.png"))
        let arguments = line.split(separator: " ").map(String.init)
        let quiet = try Command.run(arguments + ["--quiet"], in: folder)
        #expect(quiet.status == 0 && quiet.text == "" && quiet.errors == "", "\(line): \(quiet.text)\(quiet.errors)")
        let again = ["tile verify", "jpng verify"].contains { line.hasPrefix($0) } ? [] : ["--force"]
        let verbose = try Command.run(arguments + again + ["--verbose"], in: folder)
        #expect(verbose.status == 0 && verbose.errors != "", "\(line): \(verbose.errors)")
    }

    @Test(
        "Results are quiet too, and failures never are",
        arguments: [
            ("info a.png --quiet", 0), ("info a.png text.png --quiet", 1), ("compare a.png a.png --quiet", 0),
            ("compare a.png a.jpg --max-difference 0 --quiet", 1), ("tile info a.pyramid --quiet", 0),
            ("metadata get a.jpg --tag Artist --quiet", 1), ("sheet text.png out.png --quiet", 1),
            ("jpng verify text.png --quiet", 1),
        ])
    func results(_ line: String, _ status: Int32) throws {
        let outcome = try Command.run(line.split(separator: " ").map(String.init), in: folder)
        #expect(outcome.status == status, "\(line): \(outcome.errors)")
        #expect(outcome.text == "" || line.hasPrefix("jpng verify"), "\(line): \(outcome.text)")
        #expect(outcome.errors.contains("text.png") == line.contains("text.png") || line.hasPrefix("jpng verify"))
    }

    @Test(
        "A failure is an object too",
        arguments: ["tile text.png out", "tile index text.png", "fetch nosuch.png --out out"])
    func failures(_ line: String) throws {
        let outcome = try Command.run(line.split(separator: " ").map(String.init) + ["--json"], in: folder)
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any]
        #expect(outcome.status == 1 && object?["error"] is String, "\(line): \(outcome.text)")
    }

    @Test(
        "A large file shows its name, its share and the time left on a terminal",
        .needs(CommandLineTool("script")))
    func progress() throws {
        // Too large to be encoded as a whole, which has no steps to show.
        try folder.write(Pictures.photograph(PixelSize(width: 3200, height: 2800)).file(.qoi), to: "large.qoi")
        let line = "'\(Command.program)' convert large.qoi out.png --compression-level 9"
        func shown(_ more: String) throws -> String {
            let outcome = try Command.run(
                ["-qec", line + " --force" + more, "/dev/null"], in: folder,
                program: try #require(CommandLineTool("script").path))
            #expect(outcome.status == 0, "\(outcome.text)")
            return outcome.text
        }
        #expect(try !shown(" --quiet").contains("large.qoi"))
        // A fast machine may be done before the first half second.
        let started = ContinuousClock.now
        let text = try shown("")
        if ContinuousClock.now - started > .seconds(3) {
            #expect(text.contains("large.qoi [") && text.contains(" %, ") && text.contains(" left"), "\(text)")
        }
    }
}
