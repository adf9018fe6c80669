import Foundation
import Tessera
import Testing
import TestSupport

/// Many pictures, folders, and what stands in each other's way.
@Suite("tessera convert: many files")
struct ConvertManyTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let files = FileManager.default
        try files.createDirectory(atPath: folder.file("in/deeper"), withIntermediateDirectories: true)
        let picture = try Pictures.cutout(PixelSize(width: 12, height: 8)).file(.png)
        for name in ["a.png", "b.png", "in/c.png", "in/.hidden.png", "in/deeper/d.png"] {
            try folder.write(picture, to: name)
        }
        try folder.write([1, 2, 3], to: "in/notes.txt")
    }

    private func all() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    }

    private let before = [
        "a.png", "b.png", "in", "in/.hidden.png", "in/c.png", "in/deeper", "in/deeper/d.png", "in/notes.txt",
    ]

    private func made() throws -> [String] { try all().filter { !before.contains($0) } }

    @Test("An option of one of the outputs' formats is accepted")
    func acceptsAnOptionOfOneOutput() throws {
        try folder.write(Pictures.photograph().file(.jpeg), to: "photo.jpg")
        let outcome = try Command.run("convert", "a.png", "photo.jpg", "-d", "out", "--progressive", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try ImageSource.header(of: folder.read("out/photo.jpg")).isProgressive)
    }

    @Test(
        "Outputs have the right paths",
        arguments: [
            (["a.png", "b.png", "--to", "jpg"], ["a.jpg", "b.jpg"]),
            (["a.png", "b.png", "-d", "out/new"], ["out", "out/new", "out/new/a.png", "out/new/b.png"]),
            (["a.png", "b.png", "out/"], ["out", "out/a.png", "out/b.png"]),
            (["a.png", "in", "--to", "jpg", "-d", "out"], ["out", "out/a.jpg", "out/c.jpg"]),
            (["in", "-r", "--to", "jpg", "-d", "out"], ["out", "out/c.jpg", "out/deeper", "out/deeper/d.jpg"]),
            (
                ["in", "--recursive", "--to", "jpg", "--output-dir", "in/out"],
                ["in/out", "in/out/c.jpg", "in/out/deeper", "in/out/deeper/d.jpg"]
            ),
            (["a.png", "in", "--to", "jpg"], ["in/a.jpg"]),
            (["in", "--to", "jpg"], ["in/c.jpg"]),
        ])
    func putsOutputsWhereTheyBelong(_ arguments: [String], _ expected: [String]) throws {
        let outcome = try Command.run(["convert"] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        #expect(try made() == expected)
    }

    @Test("A bad file doesn't stop the others")
    func carriesOnPastABadFile() throws {
        try folder.write(Array("no picture".utf8), to: "bad.png")
        let outcome = try Command.run("convert", "a.png", "bad.png", "missing.png", "b.png", "--to", "jpg", in: folder)
        #expect(outcome.status == 1)
        #expect(try made() == ["a.jpg", "b.jpg", "bad.png"])
        #expect(outcome.errors.contains("Error: bad.png: "))
        #expect(outcome.errors.contains("Error: missing.png can't be read: No such file or directory"))
        #expect(outcome.errors.contains("2 of 4 files converted"))
        #expect(outcome.errors.contains("2 failed"))
        // The bar is for terminals.
        #expect(!outcome.errors.contains("\u{1B}"))
    }

    @Test("Any number of files is converted at a time", arguments: [1, 2, 7])
    func doesAnyNumberAtATime(_ jobs: Int) throws {
        let names = try (0..<20).map { index in
            try folder.write(folder.read("a.png"), to: "picture\(index).png")
            return "picture\(index).png"
        }
        let outcome = try Command.run(["convert"] + names + ["-d", "out", "--jobs", "\(jobs)"], in: folder)
        #expect(outcome.status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).count == 20)
    }

    @Test("Two outputs with one name are refused")
    func refusesTwoOutputsOfOneName() throws {
        let outcome = try Command.run("convert", "a.png", "in", "-d", "out", "--to", "jpg", in: folder)
        #expect(outcome.status == 0)
        try folder.write(folder.read("a.png"), to: "in/a.png")
        let refused = try Command.run("convert", "b.png", "a.png", "in", "-d", "other", in: folder)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("a.png and in/a.png would both become other/a.png"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("other")))
    }

    @Test("An output that is another input is refused")
    func refusesAnOutputThatIsAnotherInput() throws {
        try folder.write(folder.read("a.png"), to: "in/a.png")
        let outcome = try Command.run("convert", "a.png", "in/a.png", "-d", "in", "--force", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("nothing was written"))
    }

    @Test("A folder without images is reported")
    func saysThatAFolderHoldsNoPictures() throws {
        let empty = try TemporaryFolder()
        let outcome = try Command.run("convert", empty.path, "--to", "jpg", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("there are no images in these folders; --recursive looks deeper"))
    }
}
