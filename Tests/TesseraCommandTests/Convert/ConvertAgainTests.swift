import Foundation
import Tessera
import Testing
import TestSupport

/// Folders and files that were converted before.
@Suite("tessera convert: again")
struct ConvertAgainTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let image = try Pictures.cutout(PixelSize(width: 12, height: 8)).file(.png)
        for name in ["in/a.png", "in/deeper/b.png"] { try folder.write(image, to: name) }
    }

    private func convert(_ arguments: String...) throws -> Command.Outcome {
        try Command.run(["convert"] + arguments, in: folder)
    }

    /// Sets the time of a file's last change, in seconds from now.
    private func setAge(_ name: String, _ seconds: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: seconds)], ofItemAtPath: folder.file(name))
    }

    @Test(
        "A folder can be converted twice",
        arguments: [
            ["in", "-r", "--to", "gif"], ["in", "-r", "--to", "gif", "-d", "out"],
            ["in", "-r", "--to", "gif", "-d", "in/deeper/out"], ["in/", "-r", "--to", "gif", "-d", "./in"],
            ["in", "-r", "--to", "png", "-d", "out"], ["in", "-r", "--to", "jpng", "--smallest"],
            ["in", "-r", "--to", "gif", "--frames"],
        ])
    func twice(_ arguments: [String]) throws {
        let first = try Command.run(["convert"] + arguments, in: folder)
        #expect(first.status == 0, "\(first.errors)")
        let made = try folder.paths()
        for name in made where name.hasSuffix("f") { try folder.write([1], to: name) }
        let second = try Command.run(["convert"] + arguments, in: folder)
        #expect(second.status == 0, "\(second.errors)")
        #expect(!second.errors.contains("Error"))
        #expect(try folder.paths() == made)
        for name in made where name.hasSuffix("f") { #expect(try folder.read(name) == [1]) }
    }

    @Test("The second run says how many it skipped")
    func counts() throws {
        #expect(try convert("in", "-r", "--to", "gif").errors.contains("2 of 2 files converted"))
        let second = try convert("in", "-r", "--to", "gif")
        #expect(
            second.errors
                == "0 of 2 files converted; 2 skipped because the output exists (--force replaces it)\n")
    }

    @Test("An image that already has the format is left as it is")
    func hasTheFormat() throws {
        let image = try Pictures.flat().file(.gif)
        try folder.write(image, to: "in/own.gif")
        let outcome = try convert("in", "--to", "gif")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.read("in/own.gif") == image)
        #expect(try folder.names(in: "in") == ["a.gif", "a.png", "deeper", "own.gif"])
    }

    @Test("A new image is converted, the others are skipped")
    func oneMore() throws {
        #expect(try convert("in", "--to", "gif").status == 0)
        try folder.write([1], to: "in/a.gif")
        try folder.write(folder.read("in/a.png"), to: "in/c.png")
        let outcome = try convert("in", "--to", "gif")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("1 of 2 files converted"))
        #expect(try folder.read("in/a.gif") == [1])
        #expect(try ImageSource.header(of: folder.read("in/c.gif")).format == .gif)
    }

    @Test("With --force, outputs of an earlier run are written again and aren't inputs")
    func force() throws {
        #expect(try convert("in", "-r", "--to", "gif").status == 0)
        try folder.write([1], to: "in/a.gif")
        let outcome = try convert("in", "-r", "--to", "gif", "--force")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("2 of 2 files converted"))
        #expect(try ImageSource.header(of: folder.read("in/a.gif")).format == .gif)
    }

    @Test("An output older than its input is an error, and --update replaces it")
    func update() throws {
        #expect(try convert("in", "-r", "--to", "gif").status == 0)
        for name in ["in/a.gif", "in/deeper/b.gif"] { try folder.write([1], to: name) }
        try setAge("in/a.gif", -200)
        try setAge("in/a.png", -100)
        try setAge("in/deeper/b.png", -100)
        try setAge("in/deeper/b.gif", -100)

        let refused = try convert("in", "-r", "--to", "gif")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("in/a.gif exists already; --force replaces it"))
        #expect(try folder.read("in/a.gif") == [1])

        let updated = try convert("in", "-r", "--to", "gif", "--update")
        #expect(updated.status == 0, "\(updated.errors)")
        #expect(updated.errors.contains("1 of 2 files converted"))
        #expect(updated.errors.contains("1 skipped because the output exists\n"))
        #expect(try ImageSource.header(of: folder.read("in/a.gif")).format == .gif)
        #expect(try folder.read("in/deeper/b.gif") == [1])
    }

    @Test("Named files are skipped on request, and an error otherwise", arguments: ["--skip-existing", "--update"])
    func named(_ option: String) throws {
        #expect(try convert("in/a.png", "a.gif").status == 0)
        try folder.write([1], to: "a.gif")
        #expect(try convert("in/a.png", "a.gif").status == 1)
        #expect(try convert("in/a.png", "in/deeper/b.png", "--to", "gif", "-d", ".").status == 1)
        let outcome = try convert("in/a.png", "a.gif", option)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "0 of 1 files converted; 1 skipped because the output exists\n")
        #expect(try folder.read("a.gif") == [1])
    }

    @Test("--skip-existing leaves outputs that are older than their inputs")
    func skip() throws {
        #expect(try convert("in/a.png", "a.gif").status == 0)
        try setAge("a.gif", -100)
        let before = try folder.read("a.gif")
        #expect(try convert("in/a.png", "a.gif", "--size", "2x2", "--skip-existing").status == 0)
        #expect(try folder.read("a.gif") == before)
    }

    @Test("An output folder deep within the input folder isn't searched")
    func deepOutput() throws {
        for _ in 1...2 {
            let outcome = try convert("in", "-r", "-d", "in/deeper/out", "--force")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("2 of 2 files converted"))
        }
    }

    @Test("--dry-run prints inputs and outputs and writes nothing")
    func dryRun() throws {
        let before = try folder.paths()
        let outcome = try convert("in", "-r", "--to", "gif", "-d", "out", "--dry-run")
        #expect(outcome.status == 0)
        #expect(outcome.text == "in/a.png -> out/a.gif\nin/deeper/b.png -> out/deeper/b.gif\n")
        #expect(outcome.errors == "2 of 2 files would be converted\n")
        #expect(try folder.paths() == before)

        #expect(try convert("in/a.png", "--to", "gif", "--frames", "--dry-run").text == "in/a.png -> in/a-N.gif\n")
        try folder.write([1], to: "in/a.gif")
        let second = try convert("in", "-r", "--to", "gif", "--dry-run")
        #expect(second.text == "in/deeper/b.png -> in/deeper/b.gif\n")
        #expect(second.errors.contains("1 skipped"))
    }

    @Test("--dry-run fails where the run would")
    func dryRunFailure() throws {
        try folder.write([1], to: "a.gif")
        let outcome = try convert("in/a.png", "missing.png", "in/deeper/b.png", "--to", "gif", "-d", ".", "--dry-run")
        #expect(outcome.status == 1)
        #expect(outcome.text == "in/deeper/b.png -> ./b.gif\n")
        #expect(outcome.errors.contains("./a.gif exists already"))
        #expect(outcome.errors.contains("missing.png can't be read: No such file or directory"))
        #expect(outcome.errors.contains("1 of 3 files would be converted; 2 failed"))
        let empty = try TemporaryFolder()
        #expect(try convert(empty.path, "--to", "gif", "--dry-run").status == 1)
    }

    @Test("Effects on a folder can be applied twice")
    func effects() throws {
        for expected in ["2 of 2 files converted", "0 of 2 files converted; 2 skipped"] {
            let outcome = try Command.run("effect", "in", "-r", "--to", "gif", "--grayscale", in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains(expected))
        }
    }
}
