import ImageFormats
import ImageEffects
import Raster
import Tessera
import TestSupport
import Testing

/// Text, drawn by the worker for drawings, and the gravity that all effects share.
@Suite("tessera effect --text")
struct EffectTextTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            Pictures.plain(RGBA8(0, 0, 255), PixelSize(width: 120, height: 90)).file(.png), to: "blue.png")
    }

    private func run(_ arguments: String...) throws -> Command.Outcome {
        try Command.run(["effect"] + arguments, in: folder)
    }

    /// The rows and columns in which anything isn't blue.
    private func ink(_ name: String) throws -> (rows: ClosedRange<Int>, columns: ClosedRange<Int>)? {
        let bitmap = try Image(data: folder.read(name)).bitmap().converted(to: .rgba8, alpha: AlphaMode.none)
        var (rows, columns): ([Int], [Int]) = ([], [])
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width where bitmap.pixel(x, y) != RGBA8(0, 0, 255) {
                rows.append(y)
                columns.append(x)
            }
        }
        guard let top = rows.min(), let bottom = rows.max(), let left = columns.min(), let right = columns.max() else {
            return nil
        }
        return (top...bottom, left...right)
    }

    @Test(
        "Text lies where gravity puts it",
        arguments: [
            ("south", 68...89, 20...100), ("north", 0...22, 20...100), ("northwest", 0...22, 0...60),
            ("southeast", 68...89, 60...119), ("center", 33...57, 20...100),
        ])
    func place(_ gravity: String, rows: ClosedRange<Int>, columns: ClosedRange<Int>) throws {
        let outcome = try run(
            "blue.png", "out.png", "--text", "Inky", "--font", "sans-serif Bold 16", "--gravity", gravity)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let ink = try #require(try ink("out.png"))
        #expect(rows.lowerBound <= ink.rows.lowerBound && ink.rows.upperBound <= rows.upperBound, "\(ink.rows)")
        #expect(
            columns.lowerBound <= ink.columns.lowerBound && ink.columns.upperBound <= columns.upperBound,
            "\(ink.columns)")
        // As high as capital letters of this size, and their descenders.
        #expect(ink.rows.count >= 11)
    }

    @Test("Text that is too wide is reduced, lines stay lines, and markup is text")
    func layout() throws {
        #expect(
            try run("blue.png", "wide.png", "--text", String(repeating: "wide ", count: 20), "--font", "30").status == 0
        )
        let wide = try #require(try ink("wide.png"))
        #expect(wide.columns.count > 100 && wide.rows.count < 15)
        #expect(try run("blue.png", "lines.png", "--text", "one\ntwo\nsix", "--font", "16").status == 0)
        #expect(try #require(try ink("lines.png")).rows.count > 45)
        #expect(try run("blue.png", "markup.png", "--text", "</text>&<b>", "--text-color", "tomato").status == 0)
        #expect(try ink("markup.png") != nil)
    }

    @Test("Lines are wrapped at a width, and the recipe has it")
    func wraps() throws {
        let options = ["--text", "five words in a line", "--font", "14", "--text-width", "60"]
        #expect(try Command.run(["effect", "blue.png", "a.png"] + options, in: folder).status == 0)
        let ink = try #require(try ink("a.png"))
        #expect(ink.rows.count > 40 && ink.columns.count <= 64, "\(ink)")
        let printed = try Command.run(["effect", "--print-recipe"] + options, in: folder)
        #expect(printed.text.contains("\"width\" : 60"), "\(printed.text)")
        try folder.write(printed.output, to: "recipe.json")
        #expect(try run("blue.png", "b.png", "--recipe", "recipe.json").status == 0)
        #expect(try folder.read("a.png") == folder.read("b.png"))
    }

    @Test("A printed recipe gives the same image")
    func recipe() throws {
        let options = [
            "--text", "Día, 2 €", "--font", "serif Italic 14", "--text-color", "#ff000080", "--gravity", "northeast",
            "--text-offset", "3,4",
        ]
        #expect(try Command.run(["effect", "blue.png", "a.png"] + options, in: folder).status == 0)
        let printed = try Command.run(["effect", "--print-recipe"] + options, in: folder)
        #expect(printed.status == 0 && printed.text.contains("Día, 2 €"))
        try folder.write(printed.output, to: "recipe.json")
        let outcome = try run("blue.png", "b.png", "--recipe", "recipe.json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.read("a.png") == folder.read("b.png"))
    }

    @Test("--gravity places crops, overlays and canvases that don't name their own")
    func gravity() throws {
        let crop = try run("--print-recipe", "--crop", "0,0,10,10", "--extend", "200x200", "--gravity", "east")
        #expect(crop.status == 0)
        #expect(crop.text.split(separator: "\"east\"", omittingEmptySubsequences: false).count == 3)
        let own = try run("--print-recipe", "--crop", "0,0,10,10,south", "--gravity", "east")
        #expect(own.text.contains("\"south\"") && !own.text.contains("\"east\""))
    }

    @Test("Trim and extend are options")
    func trimAndExtend() throws {
        #expect(try run("blue.png", "wide.png", "--extend", "200x100,white").status == 0)
        #expect(try ImageSource.header(of: folder.read("wide.png")).size == PixelSize(width: 200, height: 100))
        #expect(try run("wide.png", "back.png", "--trim", "0.01").status == 0)
        #expect(try ImageSource.header(of: folder.read("back.png")).size == PixelSize(width: 120, height: 90))
    }

    @Test(
        "Bad values are errors of usage",
        arguments: [
            ["--text", ""], ["--text", "a", "--font", "Serif 0"], ["--font", "Serif 12", "--blur", "1"],
            ["--text", "a", "--gravity", "up"], ["--text", "a", "--text-offset", "1"], ["--trim", "2"],
            ["--trim", "x"], ["--text-width", "60", "--blur", "1"], ["--text", "a", "--text-width", "0"],
            ["--text", "a", "--text-width", "10", "--font", "20"],
            ["--extend", "0x10"], ["--blur", "-4"], ["--fit", "0x0"], ["--text", "a", "--text-color", "blurple"],
        ])
    func refusals(_ options: [String]) throws {
        let outcome = try Command.run(["effect", "blue.png", "out.png"] + options, in: folder)
        #expect(outcome.status == 64, "\(options): \(outcome.errors)")
        #expect(try !folder.names().contains("out.png"))
    }
}
