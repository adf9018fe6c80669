import ImageFormats
import Raster
import Tessera
import TestSupport
import Testing

/// `tessera sheet`: many images in one.
@Suite("tessera sheet")
struct SheetTests {
    private let folder: TemporaryFolder
    private static let colors = [
        RGBA8(200, 0, 0), RGBA8(0, 200, 0), RGBA8(0, 0, 200), RGBA8(200, 200, 0), RGBA8(0, 200, 200),
    ]

    init() throws {
        folder = try TemporaryFolder()
        for (index, color) in Self.colors.enumerated() {
            try folder.write(Pictures.plain(color, PixelSize(width: 40, height: 20)).file(.png), to: "in/\(index).png")
        }
    }

    private func sheet(_ name: String = "sheet.png") throws -> Bitmap {
        try Image(data: try folder.read(name)).bitmap().converted(to: .rgba8, alpha: AlphaMode.none)
    }

    private func run(_ arguments: String...) throws -> Command.Outcome {
        try Command.run(["sheet"] + arguments, in: folder)
    }

    @Test("Pictures are centred in cells, row by row")
    func grid() throws {
        let outcome = try run(
            "in", "sheet.png", "--columns", "2", "--cell", "20x20", "--gap", "4", "--caption", "none", "--background",
            "white")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let sheet = try sheet()
        #expect(sheet.size == PixelSize(width: 2 * 24 + 4, height: 3 * 24 + 4))
        // Each picture is 20x10 in its cell.
        for (index, color) in Self.colors.enumerated() {
            let (x, y) = (4 + index % 2 * 24, 4 + index / 2 * 24)
            #expect(sheet.pixel(x + 10, y + 10) == color)
            #expect(sheet.pixel(x, y + 5) == color && sheet.pixel(x + 19, y + 14) == color)
            #expect(sheet.pixel(x + 10, y + 4) == RGBA8(255, 255, 255))
            #expect(sheet.pixel(x + 10, y + 15) == RGBA8(255, 255, 255))
        }
        #expect(sheet.pixel(4 + 24 + 10, 4 + 48 + 10) == RGBA8(255, 255, 255))
    }

    @Test("Sheets without gaps, and of one picture", arguments: [0, 1])
    func gaps(_ gap: Int) throws {
        #expect(
            try run("in/1.png", "sheet.png", "--cell", "40x20", "--gap", "\(gap)", "--caption", "none").status == 0)
        let sheet = try sheet()
        #expect(sheet.size == PixelSize(width: 40 + 2 * gap, height: 20 + 2 * gap))
        #expect(sheet.pixel(20 + gap, 10 + gap) == Self.colors[1])
    }

    @Test("Transparent pictures show the background, in any format")
    func transparency() throws {
        try folder.write(
            Pictures.plain(RGBA8(0, 0, 0, 0), PixelSize(width: 20, height: 20)).file(.png), to: "clear.png")
        #expect(
            try run(
                "clear.png", "sheet.bmp", "--cell", "20", "--gap", "0", "--caption", "none", "--background", "#204060"
            )
            .status == 0)
        #expect(try sheet("sheet.bmp").pixel(10, 10) == RGBA8(0x20, 0x40, 0x60))
    }

    @Test(
        "Names are drawn below the pictures, escaped and shortened", .enabled(if: CodecRegistry.default.canDecode(.svg))
    )
    func captions() throws {
        try folder.write(folder.read("in/0.png"), to: "<&>\u{1}.png")
        try folder.write(folder.read("in/0.png"), to: String(repeating: "long", count: 40) + ".png")
        for background in ["white", "black"] {
            let outcome = try run(
                "<&>\u{1}.png", String(repeating: "long", count: 40) + ".png", "sheet.png", "--cell", "80x40", "--gap",
                "8", "--background", background, "--force")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let sheet = try sheet()
            #expect(sheet.size == PixelSize(width: 184, height: 40 + 24 + 16))
            let paper = background == "white" ? RGBA8(255, 255, 255) : RGBA8(0, 0, 0)
            func inked(_ columns: Range<Int>) -> Int {
                (48..<72).reduce(0) { sum, y in sum + columns.count { sheet.pixel($0, y) != paper } }
            }
            #expect(inked(8..<88) > 20 && inked(96..<176) > 100)
            // Nothing is drawn beyond the cells.
            #expect(inked(0..<8) == 0 && inked(88..<96) == 0 && inked(176..<184) == 0)
        }
    }

    @Test("A damaged picture leaves its cell empty, and the status is 1")
    func damage() throws {
        try folder.write([1, 2, 3], to: "in/2.png")
        let outcome = try run("in", "sheet.png", "--cell", "20x20", "--gap", "0", "--caption", "none")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("in/2.png") && outcome.errors.contains("4 of 5 pictures"))
        let sheet = try sheet()
        #expect(sheet.pixel(2 * 20 + 10, 10) == RGBA8(255, 255, 255) && sheet.pixel(3 * 20 + 10, 10) == Self.colors[3])
    }

    @Test("Without any picture that can be read, no sheet is written")
    func noPictures() throws {
        try folder.write([1, 2, 3], to: "bad/0.png")
        try folder.write([4, 5, 6], to: "bad/1.png")
        for arguments in [["bad", "sheet.png"], ["bad/0.png", "sheet.png", "--quiet"]] {
            let outcome = try Command.run(["sheet"] + arguments, in: folder)
            #expect(outcome.status == 1 && outcome.errors.contains("sheet.png isn't written"), "\(outcome.errors)")
            #expect(try !folder.names().contains { $0.contains("sheet") })
        }
        // An existing sheet stays.
        #expect(try run("in", "sheet.png", "--caption", "none").status == 0)
        let before = try folder.read("sheet.png")
        #expect(try Command.run("sheet", "bad", "sheet.png", "--force", in: folder).status == 1)
        #expect(try folder.read("sheet.png") == before)
    }

    @Test("A sheet isn't a picture of the next one, and isn't replaced unasked")
    func again() throws {
        #expect(try run("in", "in/sheet.png", "--caption", "none").status == 0)
        let first = try folder.read("in/sheet.png")
        let refused = try run("in", "in/sheet.png", "--caption", "none")
        #expect(refused.status == 1 && refused.errors.contains("--force"))
        #expect(try run("in", "in/sheet.png", "--caption", "none", "--force").status == 0)
        #expect(try folder.read("in/sheet.png") == first)
    }

    @Test(
        "Invalid arguments are refused",
        arguments: [
            (["in"], "an output as the last name"), (["in", "out"], "no extension of a format"),
            (["in", "in"], "isn't one"), (["in", "a.png", "--columns", "0"], "--columns is 1 to 1000"),
            (["in", "a.png", "--gap", "-1"], "--gap"),
            (["in", "a.png", "--cell", "50%"], "--cell is a width and a height"),
            (["empty", "a.png"], "no images"), (["in", "a.png", "--background", "#00000000"], "can't be transparent"),
        ])
    func refusals(_ arguments: [String], _ message: String) throws {
        try folder.write([], to: "empty/.keep")
        let before = try folder.paths()
        let outcome = try Command.run(["sheet"] + arguments, in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(try folder.paths() == before)
    }
}
