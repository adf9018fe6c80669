import Foundation
import ImageFormats
import Tessera
import Testing
import TestSupport

/// Inputs replaced by their outputs.
@Suite("tessera convert: --in-place")
struct ConvertInPlaceTests {
    private let folder: TemporaryFolder
    private let taken = Date(timeIntervalSince1970: 1_000_000_000)

    init() throws {
        folder = try TemporaryFolder()
        for name in ["a.png", "in/b.png", "in/deeper/c.png"] {
            let path = try folder.write(Pictures.cutout().file(.png), to: name)
            try FileManager.default.setAttributes(
                [.modificationDate: taken, .posixPermissions: 0o640], ofItemAtPath: path)
        }
    }

    private func size(_ name: String) throws -> PixelSize { try ImageSource.header(of: folder.read(name)).size }

    @Test("Files are replaced and keep their permissions and times")
    func replaces() throws {
        let before = try folder.paths()
        let outcome = try Command.run("convert", "a.png", "in", "-r", "--in-place", "--size", "24x24", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.paths() == before)
        for name in ["a.png", "in/b.png", "in/deeper/c.png"] {
            #expect(try size(name) == PixelSize(width: 24, height: 16))
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.modificationDate] as? Date == taken)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
        }
    }

    @Test("Effects replace their inputs")
    func effects() throws {
        let outcome = try Command.run("effect", "a.png", "--in-place", "--rotate", "90", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try size("a.png") == PixelSize(width: 32, height: 48))
    }

    @Test("A link's destination is replaced, not the link")
    func link() throws {
        try FileManager.default.createSymbolicLink(atPath: folder.file("link.png"), withDestinationPath: "a.png")
        #expect(try Command.run("convert", "link.png", "--in-place", "--size", "24x24", in: folder).status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link.png")) == "a.png")
        #expect(try size("a.png") == PixelSize(width: 24, height: 16))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("a.png"))
        #expect(attributes[.modificationDate] as? Date == taken)
    }

    @Test("A file that can't be converted stays as it is, and the others are replaced")
    func failure() throws {
        let damaged = Array(try folder.read("a.png").dropLast(300))
        try folder.write(damaged, to: "damaged.png")
        try folder.write(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), to: "drawing.svg")
        let outcome = try Command.run(
            "convert", "damaged.png", "drawing.svg", "a.png", "--in-place", "--size", "24x24", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("drawing.svg: files in this format can't be written, and --in-place keeps"))
        #expect(outcome.errors.contains("1 of 3 files converted"))
        #expect(try folder.read("damaged.png") == damaged)
        #expect(try size("a.png") == PixelSize(width: 24, height: 16))
    }

    @Test("One file under two names is refused")
    func twoNames() throws {
        try FileManager.default.createSymbolicLink(atPath: folder.file("link.png"), withDestinationPath: "a.png")
        let outcome = try Command.run("convert", "a.png", "link.png", "--in-place", "--size", "24x24", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("nothing was written"))
        #expect(try size("a.png") == PixelSize(width: 48, height: 32))
    }

    @Test("An animation isn't replaced by its first frame")
    func animation() throws {
        let buffer = ByteBuffer()
        let frames = [try Pictures.photograph(), try Pictures.photograph().oriented(by: .down)]
        try ImageDestination(format: .png).encode(count: 2, to: buffer) { index in (frames[index], 0.1) }
        try folder.write(buffer.bytes, to: "party.jpg")
        try folder.write(buffer.bytes, to: "party.png")
        let outcome = try Command.run("convert", "party.jpg", "--in-place", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("party.jpg: the file holds several images, of which JPEG takes one"))
        #expect(try folder.read("party.jpg") == buffer.bytes)
        #expect(try Command.run("convert", "party.png", "--in-place", "--size", "20x20", in: folder).status == 0)
        #expect(try AnimatedImageSource(folder.read("party.png")).frames.count == 2)
    }

    @Test("--dry-run replaces nothing")
    func dryRun() throws {
        let outcome = try Command.run("convert", "a.png", "--in-place", "--size", "24x24", "--dry-run", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.text == "a.png -> a.png\n")
        #expect(try size("a.png") == PixelSize(width: 48, height: 32))
    }

    @Test(
        "Options that name outputs are refused",
        arguments: [
            ["--to", "webp"], ["-d", "out"], ["--name", "{stem}.{ext}"], ["--frames"], ["--partial"], ["--update"],
            ["--skip-existing"],
        ])
    func refusals(_ arguments: [String]) throws {
        let outcome = try Command.run(["convert", "a.png", "--in-place"] + arguments, in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--in-place writes to the inputs"))
        #expect(try size("a.png") == PixelSize(width: 48, height: 32))
    }

    @Test("Standard input can't be replaced")
    func standardInput() throws {
        let outcome = try Command.run("convert", "-", "--in-place", in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("standard input has no name"))
    }
}
