import Foundation
import ImageFormats
import Raster
import Tessera
import Testing
import TestSupport

/// Sizes, colours and numbers of bytes as people write them.
@Suite("tessera: the grammar of options")
struct ConvertGrammarTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.photograph().file(.png), to: "a.png")
        try folder.write(Pictures.cutout().file(.png), to: "b.png")
    }

    @Test(
        "A size has two sides, one, or is a share",
        arguments: [
            ("30x30", 30, 20), ("30", 30, 20), ("30x", 30, 20), ("x10", 15, 10), ("50%", 30, 20), ("10x10", 10, 7),
            ("200x", 60, 40), ("200%", 60, 40),
        ])
    func sizes(_ text: String, _ width: Int, _ height: Int) throws {
        #expect(try Command.run("convert", "a.png", "out.png", "--size", text, in: folder).status == 0)
        let size = try ImageSource.header(of: folder.read("out.png")).size
        #expect(size == PixelSize(width: width, height: height))
    }

    @Test(
        "Colours with CSS's names are those with their digits",
        arguments: [("white", "ffffff"), ("RebeccaPurple", "#663399"), ("#369", "336699"), ("tomato", "#ff6347")])
    func colors(_ name: String, _ digits: String) throws {
        for (color, output) in [(name, "1.jpg"), (digits, "2.jpg")] {
            #expect(try Command.run("convert", "b.png", output, "--background", color, in: folder).status == 0)
        }
        #expect(try folder.read("1.jpg") == folder.read("2.jpg"))
    }

    @Test("--max-bytes takes K for 1024 bytes, and --out and -o are folders")
    func byteCounts() throws {
        for (count, option) in [("1K", "--out"), ("1024", "-o")] {
            let outcome = try Command.run(
                "convert", "a.png", "--to", "jpg", "--max-bytes", count, option, "out\(count)", in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        let (one, other) = (try folder.read("out1K/a.jpg"), try folder.read("out1024/a.jpg"))
        #expect(one == other && one.count <= 1024)
    }

    @Test(
        "What shows only while a command runs is reported with that command's usage",
        arguments: [
            (["convert", "a.png", "b.png", "c.png"], "Usage: tessera convert INPUT OUTPUT"),
            (["optimize", "a.png"], "Usage: tessera optimize INPUT OUTPUT"),
            (["metadata", "remove", "a.png"], "Usage: tessera metadata remove INPUT OUTPUT"),
        ])
    func usage(_ arguments: [String], _ usage: String) throws {
        let outcome = try Command.run(arguments, in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("Error: ") && outcome.errors.contains("\n\(usage)"), "\(outcome.errors)")
        #expect(outcome.errors.contains("See 'tessera \(arguments[0])"))
    }
}
