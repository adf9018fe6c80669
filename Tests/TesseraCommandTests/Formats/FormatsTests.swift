import Tessera
import TestSupport
import Testing

/// `tessera formats` and `tessera preview`.
@Suite("tessera formats and tessera preview")
struct FormatsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Every format is listed")
    func listsEveryFormat() throws {
        let outcome = try Command.run("formats", "--check", in: folder)
        #expect(outcome.status == 0 && outcome.errors == "")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == ImageFormat.all.count + 1)
        for format in ImageFormat.all { #expect(lines.contains { $0.hasPrefix("\(format.name) ") }) }
        let json = try Command.run("formats", "--json", in: folder).text
        for format in ImageFormat.all { #expect(json.contains("\"\(format.typeIdentifier)\"")) }
    }

    @Test("A progressive image is shown scan by scan")
    func showsAProgressivePictureScanByScan() throws {
        let options = EncodingOptions(jpeg: EncodingOptions.JPEG(isProgressive: true))
        let file = try Pictures.photograph(PixelSize(width: 300, height: 200)).file(.jpeg, options)
        try folder.write(file, to: "photo.jpg")
        let outcome = try Command.run(
            "preview", "photo.jpg", "--out", "previews", "--chunk", "256", "--sheet", in: folder)
        #expect(outcome.status == 0 && outcome.errors == "")
        let rows = outcome.text.split(separator: "\n").dropFirst()
        let info = try Command.run("info", "photo.jpg", in: folder).text
        #expect(info.contains("scans:         10"))
        // Scans that arrive together are shown together, and the whole once more.
        #expect(rows.count > 5 && rows.count <= 11)
        let names = try folder.names(in: "previews")
        #expect(names.count == rows.count + 1 && names.contains("photo-sheet.png"))
        let last = try ImageSource.decode(folder.read("previews/photo-\(file.count).png")).bitmap
        let whole = try ImageSource.decode(file).bitmap
        #expect(try last.converted(to: .rgba8).tightBytes() == whole.converted(to: .rgba8).tightBytes())
    }

    @Test("A damaged image is shown as far as it goes")
    func showsWhatThereIsOfABrokenPicture() throws {
        let file = try Pictures.photograph(PixelSize(width: 300, height: 200)).file(.png)
        try folder.write(Array(file.prefix(file.count * 2 / 3)), to: "photo.png")
        let outcome = try Command.run("preview", "photo.png", "--out", "previews", in: folder)
        #expect(outcome.status == 1 && outcome.errors.contains("photo.png: "))
        #expect(try !folder.names(in: "previews").isEmpty)
    }

    @Test("Invalid calls are refused")
    func refusesWhatMakesNoSense() throws {
        #expect(try Command.run("preview", "photo.png", in: folder).status == 64)
        #expect(try Command.run("preview", "none.png", "--out", "p", in: folder).status == 1)
        #expect(try Command.run("preview", "none.png", "--out", "p", "--chunk", "0", in: folder).status == 64)
    }
}
