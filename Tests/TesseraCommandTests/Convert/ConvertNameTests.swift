import Foundation
import Tessera
import Testing
import TestSupport

/// Outputs named by a template.
@Suite("tessera convert: --name")
struct ConvertNameTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.cutout().file(.png), to: "wide.png")
        try folder.write(Pictures.cutout(PixelSize(width: 20, height: 40)).file(.png), to: "in/high.png")
        try folder.write(Pictures.cutout(PixelSize(width: 20, height: 10)).file(.png), to: "in/deeper/b.c.png")
    }

    private func made(_ arguments: [String], by command: String = "convert") throws -> [String] {
        let before = try folder.paths()
        let outcome = try Command.run([command] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try folder.paths().filter { !before.contains($0) }
    }

    @Test(
        "Outputs are named by the template",
        arguments: [
            (["wide.png", "--to", "gif", "--name", "{stem}-{width}.{ext}"], ["wide-48.gif"]),
            (
                ["wide.png", "--to", "gif", "--size", "24x24", "--name", "{width}x{height} {stem}.{ext}"],
                ["24x16 wide.gif"]
            ),
            (["wide.png", "--name", "{stem}-small.{ext}", "--size", "8x8"], ["wide-small.png"]),
            (["wide.png", "in/high.png", "--name", "{stem}.{stem}.{ext}"], ["in/high.high.png", "wide.wide.png"]),
            (
                ["in", "-r", "-d", "out", "--to", "gif", "--name", "{stem}_{height}.{ext}"],
                ["out", "out/deeper", "out/deeper/b.c_10.gif", "out/high_40.gif"]
            ),
            (["wide.png", "in/", "--name", "x{stem}.{ext}"], ["in/xwide.png"]),
            (["wide.png", "--to", "png", "--frames", "--name", "{stem}-page.{ext}"], ["wide-page.png"]),
        ])
    func names(_ arguments: [String], _ expected: [String]) throws {
        #expect(try made(arguments) == expected)
    }

    @Test("The size in the name is the output's")
    func size() throws {
        let names = try made(["in", "-r", "--to", "gif", "--size", "12x12", "--name", "{stem}-{width}-{height}.{ext}"])
        #expect(names == ["in/deeper/b.c-12-6.gif", "in/high-6-12.gif"])
        for name in names {
            let size = try ImageSource.header(of: folder.read(name)).size
            #expect(name.hasSuffix("-\(size.width)-\(size.height).gif"))
        }
    }

    @Test("The size after effects is used")
    func effects() throws {
        #expect(
            try made(["wide.png", "--fit", "24x24", "--rotate", "90", "--name", "{stem}-{width}.{ext}"], by: "effect")
                == ["wide-16.png"])
    }

    @Test("A folder can be converted twice by a template")
    func twice() throws {
        let arguments = ["in", "-r", "--size", "4x4", "--name", "{stem}-{width}.{ext}"]
        #expect(try made(arguments) == ["in/deeper/b.c-4.png", "in/high-2.png"].sorted())
        let outcome = try Command.run(["convert"] + arguments + ["--to", "png"], in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("0 of 2 files converted; 2 skipped"))
    }

    @Test("Names that collide are refused before anything is written")
    func collisions() throws {
        try folder.write(folder.read("wide.png"), to: "wide.bmp")
        let before = try folder.paths()
        let outcome = try Command.run(
            "convert", "wide.png", "wide.bmp", "--to", "gif", "--name", "{stem}-{width}.{ext}", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("wide.png and wide.bmp would both become wide-48.gif; nothing was written"))
        #expect(try folder.paths() == before)
    }

    @Test("A file whose size can't be read fails alone")
    func badFile() throws {
        try folder.write([1, 2, 3], to: "bad.png")
        let outcome = try Command.run(
            "convert", "bad.png", "wide.png", "--to", "gif", "--name", "{stem}-{width}.{ext}", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("Error: bad.png: "))
        #expect(try folder.names().contains("wide-48.gif"))
    }

    @Test(
        "Invalid templates are refused with the reason",
        arguments: [
            Refusal("a.png", "--name", "small.{ext}", says: "names without {stem}"),
            Refusal("a.png", "--name", "{stem}", says: "names must end in .{ext}"),
            Refusal("a.png", "--name", "{stem}.{ext}.{ext}", says: "names must end in .{ext}"),
            Refusal("a.png", "--name", "{stem}-{date}.{ext}", says: "\"{date}.{ext}\" begins with no placeholder"),
            Refusal("a.png", "--name", "{stem}-{.{ext}", says: "begins with no placeholder"),
            Refusal("a.png", "--name", "{stem}}.{ext}", says: "\"}.{ext}\" begins with no placeholder"),
            Refusal("a.png", "--name", "{stem", says: "\"{stem\" begins with no placeholder"),
            Refusal("a.png", "--name", "../{stem}.{ext}", says: "use --output-dir FOLDER"),
            Refusal("a.png", "--name", "{stem}-{width}.{ext}", "--frames", says: "--frames writes images"),
            Refusal("-", "--to", "png", "--name", "{stem}.{ext}", says: "standard input has no name"),
        ])
    func refusals(_ refusal: Refusal) throws {
        let outcome = try Command.run(["convert"] + refusal.arguments, in: folder)
        #expect(outcome.status == refusal.status)
        #expect(outcome.errors.contains(refusal.message), "\(outcome.errors)")
    }
}
