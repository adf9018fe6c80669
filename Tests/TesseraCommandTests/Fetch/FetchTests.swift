import Foundation
import ImageFormats
import Tessera
import TestSupport
import Testing

/// Files and data URLs fetched: names, formats, sizes, effects.
@Suite("tessera fetch")
struct FetchTests {
    private let folder: TemporaryFolder
    private let photograph: [UInt8]
    private let cutout: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        photograph = try Pictures.photograph().file(.jpeg)
        cutout = try Pictures.cutout().file(.png)
        try folder.write(photograph, to: "photo.jpg")
        try folder.write(cutout, to: "cutout.png")
    }

    private func fetch(_ arguments: String..., input: [UInt8] = []) throws -> Command.Outcome {
        try Command.run(["fetch", "--out", "out"] + arguments, in: folder, input: input)
    }

    @Test("Bytes are written unchanged")
    func writesBytesAsTheyCame() throws {
        let outcome = try fetch("photo.jpg", "file://\(folder.file("cutout.png"))")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.names(in: "out") == ["cutout.png", "photo.jpg"])
        #expect(try folder.read("out/photo.jpg") == photograph)
        #expect(try folder.read("out/cutout.png") == cutout)
        #expect(outcome.errors.hasPrefix("2 of 2 pictures fetched, ") && !outcome.errors.contains("\u{1B}"))

        let rows = outcome.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.count == 3 && rows[0].first == "picture" && rows[0].last == "total")
        #expect(rows[1].starts(with: ["out/photo.jpg", "60x40"]) && rows[1].contains("local"))
        #expect(rows[2].starts(with: ["out/cutout.png", "48x32"]))
    }

    @Test("data: URLs are fetched")
    func takesDataURLs() throws {
        let url = "data:image/png;base64,\(Data(cutout).base64EncodedString())"
        let outcome = try fetch(url)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(try folder.read("out/picture.png") == cutout)
    }

    @Test("URLs are read from standard input")
    func readsAddressesFromStandardInput() throws {
        let lines = "photo.jpg\n\n  cutout.png \r\nfile://\(folder.file("cutout.png"))\n"
        #expect(try fetch("-", input: Array(lines.utf8)).status == 0)
        #expect(try folder.names(in: "out") == ["cutout-2.png", "cutout.png", "photo.jpg"])
    }

    /// What a server calls a file, and what it is called when it is fetched. It is a PNG whatever its name says.
    @Test(
        "File names are safe",
        .needs(.python),
        arguments: [
            ("a.png", "a.png"), ("A.PNG", "A.PNG"), ("a.jpg", "a.png"), ("a", "a.png"), ("page.php", "page.png"),
            ("v1.2", "v1.2.png"), ("a.b.gif", "a.b.png"), (".hidden.png", "hidden.png"), ("--force.png", "force.png"),
            ("..%2F..%2Fup.png", "up.png"), ("%2e%2e%2fup.png", "up.png"), ("...", "picture.png"),
            ("a%0Ab%1B%5B2J.png", "ab[2J.png"), ("a%5C..%5Cb.png", "a..b.png"), ("x%E2%80%AEgnp.exe", "xgnp.png"),
            ("b%C3%A4r.png", "bär.png"), ("a%20b.png", "a b.png"), ("a%FFb.png", "a%FFb.png"),
        ] as [(String, String)])
    func namesFilesSafely(_ path: String, _ name: String) throws {
        let server = try PictureServer(TemporaryFolder())
        try server.folder.write(cutout, to: "content")
        let outcome = try fetch("\(server.address)/named/\(path)")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.names(in: "out") == [name])
        #expect(try folder.names().count == 3)
    }

    @Test("Long names are shortened")
    func shortensNames() throws {
        let name = String(repeating: "ä", count: 120) + ".png"
        try folder.write(cutout, to: name)
        #expect(try fetch(name).status == 0)
        #expect(try folder.names(in: "out") == [String(repeating: "ä", count: 100) + ".png"])
    }

    @Test("Files in unknown formats are kept, with status 1")
    func keepsWhatItDoesNotKnow() throws {
        try folder.write(Array("no picture".utf8), to: "notes.txt")
        let outcome = try fetch("notes.txt")
        #expect(outcome.status == 1)
        #expect(outcome.errors == "out/notes.txt isn't in a known image format; it was written as it came\n")
        #expect(try folder.read("out/notes.txt") == Array("no picture".utf8))
    }

    @Test(
        "Images are converted",
        arguments: [
            (["--size", "30x30"], "photo.jpg", PixelSize(width: 30, height: 20), ImageFormat.jpeg),
            (["--size", "30"], "photo.jpg", PixelSize(width: 30, height: 20), .jpeg),
            (["--size", "3000"], "photo.jpg", PixelSize(width: 60, height: 40), .jpeg),
            (["--to", "webp"], "photo.webp", PixelSize(width: 60, height: 40), .webP),
            (["--size", "30", "--circle", "--fill", "10x10"], "photo.png", PixelSize(width: 10, height: 10), .png),
            (["--size", "30", "--rotate", "90"], "photo.jpg", PixelSize(width: 20, height: 30), .jpeg),
            (["--recipe", "card.json"], "photo.png", PixelSize(width: 45, height: 30), .png),
        ])
    func writesPicturesAnew(_ arguments: [String], _ name: String, _ size: PixelSize, _ format: ImageFormat) throws {
        let recipe = try Command.run("effect", "--fit", "45x45", "--radius", "4", "--print-recipe", in: folder)
        try folder.write(recipe.output, to: "card.json")
        let outcome = try Command.run(["fetch", "photo.jpg", "-d", "out"] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.names(in: "out") == [name])
        let header = try ImageSource.header(of: folder.read("out/\(name)"))
        #expect(header.size == size && header.format == format)
        #expect(outcome.text.contains("\(size.width)x\(size.height)"))
    }

    @Test("The result is the same as convert's")
    func looksAsConvertMakesIt() throws {
        let large = try Pictures.photograph(PixelSize(width: 640, height: 420)).file(.jpeg)
        try folder.write(large, to: "large.jpg")
        #expect(try fetch("large.jpg", "--size", "160", "--to", "png").status == 0)
        #expect(try Command.run("convert", "large.jpg", "same.png", "--size", "160x160", in: folder).status == 0)
        let (a, b) = try (
            ImageSource.decode(folder.read("out/large.png")).bitmap, ImageSource.decode(folder.read("same.png")).bitmap
        )
        #expect(a.info.size == PixelSize(width: 160, height: 105) && a.info.size == b.info.size)
        #expect(try a.meanDifference(from: b) < 2)
    }

    @Test("Animations are kept")
    func keepsAnimations() throws {
        let frames = try [Pictures.photograph(), Pictures.photograph().oriented(by: .down)]
        let output = ByteBuffer()
        try ImageDestination(format: .gif, options: EncodingOptions(loopCount: 3)).encode(count: 2, to: output) {
            (index) throws(ImageError) in (frames[index], 0.2)
        }
        try folder.write(output.bytes, to: "party.gif")
        #expect(try fetch("party.gif", "--size", "30", "--grayscale", "--to", "webp").status == 0)
        let source = try AnimatedImageSource(folder.read("out/party.webp"))
        #expect(source.frames.map(\.duration) == [0.2, 0.2] && source.size == PixelSize(width: 30, height: 20))
    }

    @Test("The help describes the command")
    func explainsItself() throws {
        let outcome = try Command.run("fetch", "--help", in: folder)
        #expect(outcome.status == 0)
        for word in ["EXAMPLES", "--cache-policy", "--previews", "--radius <radius>", "--size <size>"] {
            #expect(outcome.text.contains(word), "\(word)")
        }
        #expect(!outcome.text.contains("--content-mode"))
    }
}
