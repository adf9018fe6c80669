import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

/// What the viewer does with files: saving without loss, the trash, sorting, names that aren't text, damaged files.
@Suite("The viewer and files", .needsWindows, .serialized)
struct ViewerFileTests {
    private let folder: TemporaryFolder
    private let red = RGBA8(220, 20, 30)
    private let green = RGBA8(20, 190, 40)
    private let blue = RGBA8(30, 40, 210)

    init() throws { folder = try TemporaryFolder() }

    /// The pictures' folder, apart from the data that the viewer keeps.
    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: folder.file("set"), withIntermediateDirectories: true)
        return try folder.write(bytes, to: "set/\(name)")
    }

    private func plain(_ color: RGBA8, _ name: String, _ size: PixelSize = PixelSize(width: 800, height: 600)) throws
        -> String
    {
        try write(ImageDestination(format: .png).encode(Bitmap.plain(color, size)), name)
    }

    private var environment: [String: String] { ["XDG_DATA_HOME": folder.file("data")] }

    private func isShown(_ color: RGBA8, _ capture: Bitmap) -> Bool { capture.isColor(color, atX: 340, y: 340) }

    private func save(_ session: ViewerSession, as name: String) async throws -> [UInt8] {
        try await session.key("ctrl+s")
        let path = folder.file(name)
        try await session.type(path, intoWindow: "Save a Copy")
        #expect(await eventually { FileManager.default.fileExists(atPath: path) })
        return try folder.read(name)
    }

    @Test("A turned JPEG is saved without loss")
    func savesATurnedJPEGWithoutLoss() async throws {
        let bitmap = try MarkedPicture.make(PixelSize(width: 640, height: 480))
        let bytes = try ImageDestination(format: .jpeg, options: EncodingOptions(quality: 0.4)).encode(bitmap)
        let session = try await ViewerSession([try write(bytes, "photo.jpg")], environment: environment)
        try await session.waitForPicture()
        try await session.key("r")
        let saved = try await save(session, as: "turned.jpg")
        let transformed = try JPEGTransformation(orientation: .right).applied(to: bytes)
        #expect(saved == transformed.bytes)
        #expect(try await session.close() == 0)
    }

    @Test("A crop is saved with the pixels inside the rectangle")
    func savesACrop() async throws {
        // One to one in the window, so that a drag of 100 points is one of 100 pixels.
        let bitmap = try MarkedPicture.make(PixelSize(width: 640, height: 480))
        let bytes = try ImageDestination(format: .png).encode(bitmap)
        let session = try await ViewerSession([try write(bytes, "marked.png")], environment: environment)
        try await session.waitForPicture()
        try await session.key("c")
        let shown = try await session.capture("the rectangle") { $0.isColor(RGBA8(255, 255, 255), atX: 550, y: 210) }
        #expect(shown.size.width == 1280)
        // From outside the rectangle a drag draws a new one.
        let left = 550 - 320 + 10
        try await session.drag(fromX: left, y: 180, byX: 300, y: 200)
        try await session.key("Return")
        let path = folder.file("crop.png")
        try await session.type(path, intoWindow: "Save a Copy")
        #expect(await eventually { FileManager.default.fileExists(atPath: path) })
        let saved = try ImageSource.decode(folder.read("crop.png")).bitmap.converted(to: .rgba8, alpha: AlphaMode.none)
        #expect(abs(saved.width - 300) <= 1 && abs(saved.height - 200) <= 1, "\(saved.size)")
        let place = MarkedPicture.place(of: saved.pixel(0, 0))
        #expect(abs(place.x - 10) <= 1, "\(place)")
        let end = MarkedPicture.place(of: saved.pixel(saved.width - 1, saved.height - 1))
        #expect(end.x - place.x == saved.width - 1 && end.y - place.y == saved.height - 1)
        #expect(try await session.close() == 0)
    }

    @Test("A turned animation is saved with all its frames")
    func savesATurnedAnimation() async throws {
        let frames = try [red, green, blue].map { try Bitmap.plain($0, PixelSize(width: 60, height: 40)) }
        let file = try write(AnimatedFile.gif(frames, delay: 0.25), "animation.gif")
        let session = try await ViewerSession([file], environment: environment)
        #expect(try await eventually { try await session.title() == "animation.gif – Tessera" })
        _ = try await session.capture("a frame") { $0.isColor(green, atX: 550, y: 400) }
        try await session.key("r")
        let saved = try AnimatedImage(data: await save(session, as: "turned.gif"))
        #expect(saved.frames.count == 3)
        #expect(saved.size == PixelSize(width: 40, height: 60))
        #expect(try await session.close() == 0)
    }

    @Test("Delete moves a file to the trash, and Control+Z brings it back")
    func movesFilesToTheTrash() async throws {
        let files = [try plain(red, "1.png"), try plain(green, "2 ü.png"), try plain(blue, "3.png")]
        let bytes = try folder.read("set/2 ü.png")
        let session = try await ViewerSession([files[1]], environment: environment)
        _ = try await session.capture("the picture") { isShown(green, $0) }
        try await session.key("Delete")
        #expect(await eventually { !FileManager.default.fileExists(atPath: files[1]) })
        _ = try await session.capture("the next one") { isShown(blue, $0) }
        #expect(try folder.read("data/Trash/files/2 ü.png") == bytes)
        let record = String(decoding: try folder.read("data/Trash/info/2 ü.png.trashinfo"), as: UTF8.self)
        #expect(
            record.hasPrefix("[Trash Info]\nPath=/") && record.contains("/2%20%C3%BC.png\nDeletionDate="), "\(record)")
        try await session.key("ctrl+z")
        _ = try await session.capture("it is back") { isShown(green, $0) }
        #expect(try folder.read("set/2 ü.png") == bytes)
        #expect(!FileManager.default.fileExists(atPath: folder.file("data/Trash/info/2 ü.png.trashinfo")))
        #expect(try await session.close() == 0)
    }

    @Test("Several marked files are moved to the trash together")
    func movesMarkedFilesToTheTrash() async throws {
        let files = try (1...4).map { try plain($0 == 1 ? red : green, "\($0).png") }
        let session = try await ViewerSession([files[0]], environment: environment)
        _ = try await session.capture("the picture") { isShown(red, $0) }
        // The thumbnails of four are in the middle: 100 points apart, around the window's middle.
        try await session.display.run("xdotool", ["keydown", "ctrl", "mousemove", "500", "718", "click", "1"])
        try await session.display.run("xdotool", ["mousemove", "600", "718", "click", "1", "keyup", "ctrl"])
        try await session.key("Delete")
        #expect(await eventually { files[..<3].allSatisfy { !FileManager.default.fileExists(atPath: $0) } })
        #expect(try await eventually { try await session.title() == "4.png – Tessera" })
        // The folder is read again when a file appears, although the file that was named is gone.
        _ = try plain(blue, "5.png")
        #expect(
            try await eventually {
                try await session.key("Right")
                return try await session.title() == "5.png – Tessera"
            })
        try await session.key("ctrl+z")
        #expect(await eventually { files.allSatisfy { FileManager.default.fileExists(atPath: $0) } })
        #expect(try await session.close() == 0)
    }

    @Test("A name that isn't UTF-8 opens, and its folder too", arguments: [true, false])
    func opensNamesThatAreNotText(_ namesFile: Bool) async throws {
        _ = try plain(green, "1.png")
        // Swift can't name such a file; the shell can.
        let script = """
            cd "$0" && name=$(printf '2\\377\\tb.png') && mv 1.png "$name" && exec "$1" "\(namesFile ? "$name" : ".")"
            """
        let session = try await ViewerSession(
            [], environment: environment,
            launcher: ["/bin/sh", "-c", script, folder.file("set")])
        _ = try await session.capture("the picture") { isShown(green, $0) }
        #expect(try await session.title().hasPrefix(#"2\xff"#))
        #expect(try await session.close() == 0)
    }

    @Test("A truncated file shows its first rows, and a bar that says so")
    func showsTruncatedFiles() async throws {
        let bitmap = try MarkedPicture.make(PixelSize(width: 800, height: 600))
        let bytes = try ImageDestination(format: .jpeg, options: EncodingOptions(quality: 0.9)).encode(bitmap)
        let file = try write(Array(bytes.prefix(bytes.count / 2)), "half.jpg")
        let session = try await ViewerSession([file], environment: environment)
        func isColorful(_ capture: Bitmap, y: Int) -> Bool {
            (200..<900).contains { x in
                let pixel = capture.pixel(x, y)
                return max(pixel.red, pixel.green, pixel.blue) - min(pixel.red, pixel.green, pixel.blue) > 24
            }
        }
        _ = try await session.capture("the half and the bar") { capture in
            let hasBar = (50..<110).contains { capture.isColor(RGBA8(0xF6, 0xD8, 0x60), atX: 8, y: $0) }
            return hasBar && isColorful(capture, y: 180) && !isColorful(capture, y: 650)
        }
        #expect(try await session.close() == 0)
    }

    @Test("The thumbnail of a truncated file shows its first rows")
    func showsThumbnailsOfTruncatedFiles() async throws {
        let files = try [plain(red, "1.png")]
        let bytes = try ImageDestination(format: .jpeg, options: EncodingOptions(quality: 0.9))
            .encode(MarkedPicture.make(PixelSize(width: 800, height: 600)))
        _ = try write(Array(bytes.prefix(bytes.count * 2 / 3)), "2.jpg")
        let session = try await ViewerSession(files, environment: environment)
        // The second thumbnail's upper half; a sign in its place would be grey.
        _ = try await session.capture("the rows that are there") { capture in
            let colorful = (684..<708).reduce(0) { count, y in
                count
                    + (556..<640).count { x in
                        let pixel = capture.pixel(x, y)
                        let parts = [pixel.red, pixel.green, pixel.blue]
                        return (parts.max() ?? 0) - (parts.min() ?? 0) > 24
                    }
            }
            return colorful > 1000
        }
        #expect(try await session.close() == 0)
    }

    @Test(
        "A folder is shown in the order that was chosen last",
        arguments: [
            (nil, "2.png"), ("date", "10.png"), ("date descending", "3.png"), ("size", "3.png"),
            ("size descending", "10.png"), ("name descending", "10.png"), ("\u{1}nonsense", "2.png"),
        ] as [(String?, String)])
    func remembersTheOrder(_ state: String?, _ first: String) async throws {
        // By name 2, 3, 10; by date 10, 2, 3; by size 3, 2, 10.
        for (index, name) in ["10.png", "2.png", "3.png"].enumerated() {
            let side = name == "3.png" ? 10 : name == "2.png" ? 300 : 900
            let file = try write(
                ImageDestination(format: .png).encode(MarkedPicture.make(PixelSize(width: side, height: side))),
                name)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000 + Double(index) * 1000)],
                ofItemAtPath: file)
        }
        if let state { try folder.write(Array(state.utf8), to: "state/tessera-view/sort") }
        let session = try await ViewerSession(
            [folder.file("set")], environment: environment.merging(["XDG_STATE_HOME": folder.file("state")]) { $1 })
        #expect(try await eventually { try await session.title() == "\(first) – Tessera" })
        #expect(try await session.close() == 0)
    }

    @Test("The order is chosen in the menu, and remembered")
    func choosesTheOrder() async throws {
        _ = try [plain(red, "1.png"), plain(green, "2.png")]
        let variables = environment.merging(["XDG_STATE_HOME": folder.file("state")]) { $1 }
        let session = try await ViewerSession([folder.file("set")], environment: variables)
        #expect(try await eventually { try await session.title() == "1.png – Tessera" })
        try await session.key("F10")
        _ = try await session.settledCapture()
        // From the end: the shortcuts, five switches, transparency's ground, the order.
        try await session.key(Array(repeating: "Up", count: 8) + ["Return"])
        _ = try await session.settledCapture()
        // The title, the name, the date, the size, the direction.
        try await session.key(Array(repeating: "Down", count: 4) + ["Return"])
        #expect(
            await eventually {
                (try? folder.read("state/tessera-view/sort")).map { String(decoding: $0, as: UTF8.self) }
                    == "name descending\n"
            })
        // Keys go to the window again.
        try await session.key("Left")
        #expect(try await eventually { try await session.title() == "2.png – Tessera" })
        #expect(try await session.close() == 0)
        let again = try await ViewerSession([folder.file("set")], environment: variables)
        #expect(try await eventually { try await again.title() == "2.png – Tessera" })
        #expect(try await again.close() == 0)
    }

    @Test("The welcome page opens recent files")
    func opensRecentFiles() async throws {
        let file = try plain(green, "1.png")
        let first = try await ViewerSession([file], environment: environment)
        // However soon it ends, the list is written.
        first.viewer.end()
        #expect(await first.viewer.status() == 0)
        #expect(try String(decoding: folder.read("data/recently-used.xbel"), as: UTF8.self).contains("1.png"))
        let session = try await ViewerSession([], environment: environment)
        _ = try await session.settledCapture()
        #expect(try await session.title() == "Tessera")
        // The first recent file, below the buttons that open others.
        try await session.click(x: 550, y: 522)
        _ = try await session.capture("the picture") { isShown(green, $0) }
        #expect(try await session.title() == "1.png – Tessera")
        #expect(try await session.close() == 0)
    }

    @Test("Subfolders are included on request")
    func includesSubfolders() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("set/inner"), withIntermediateDirectories: true)
        _ = try plain(red, "1.png")
        _ = try plain(green, "inner/2.png")
        let session = try await ViewerSession(["-r", folder.file("set")], environment: environment)
        _ = try await session.capture("the first") { isShown(red, $0) }
        try await session.key("Right")
        _ = try await session.capture("the one in the subfolder") { isShown(green, $0) }
        #expect(try await session.close() == 0)
    }
}
