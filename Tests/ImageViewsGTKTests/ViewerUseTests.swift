import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

/// The viewer in daily use, in real windows: signals, hurried hands, saving, folders that change.
@Suite("The viewer in use", .needsWindows, .serialized)
struct ViewerUseTests {
    private let folder: TemporaryFolder
    private let stage = PixelRect(x: 40, y: 120, width: 600, height: 440)

    init() throws { folder = try TemporaryFolder() }

    private func write(_ number: Int, _ color: RGBA8 = RGBA8(20, 190, 40)) throws -> String {
        let bitmap = try Bitmap.plain(color, PixelSize(width: 800, height: 600))
        return try folder.write(ImageDestination(format: .png).encode(bitmap), to: "\(number).png")
    }

    @Test("SIGINT and SIGTERM close it, even if they were blocked where it was started", arguments: [true, false])
    func closesBySignals(_ interrupts: Bool) async throws {
        // Tests that run in a shell's background inherit that SIGINT is ignored. A later option wins over an earlier one.
        let signals = ["--default-signal=INT", "--block-signal=INT", "--block-signal=TERM"]
        let session = try await ViewerSession([write(1)], launcher: ["/usr/bin/env"] + signals)
        if interrupts { session.viewer.interrupt() } else { session.viewer.end() }
        #expect(await session.viewer.status() == 0)
    }

    @Test("A double click zooms to one to one, and back")
    func zoomsByADoubleClick() async throws {
        let bitmap = try MarkedPicture.make(PixelSize(width: 4096, height: 3072))
        let file = try folder.write(ImageDestination(format: .png).encode(bitmap), to: "marked.png")
        let session = try await ViewerSession([file])
        try await session.waitForPicture()
        try await session.click(x: 400, y: 400, count: 2)
        _ = try await session.capture("the picture at one to one") { MarkedPicture.match($0, in: stage) == 1 }
        // A third press in quick succession would be another gesture, which can only be waited for.
        try await Task.sleep(for: .milliseconds(600))
        try await session.click(x: 400, y: 400, count: 2)
        _ = try await session.capture("the whole picture") { MarkedPicture.match($0, in: stage) < 0.5 }
        #expect(try await session.close() == 0)
    }

    @Test("Every quick press of a key counts")
    func countsQuickPresses() async throws {
        let files = try (1...12).map { try write($0) }
        let session = try await ViewerSession(files)
        try await session.waitForPicture()
        try await session.key(Array(repeating: "Right", count: 10))
        #expect(try await eventually { try await session.title() == "11.png – Tessera" })
        try await session.key(Array(repeating: "Left", count: 9))
        #expect(try await eventually { try await session.title() == "2.png – Tessera" })
        #expect(try await session.close() == 0)
    }

    @Test("An unchanged image is saved with its bytes")
    func savesAnUnchangedImageAsItIs() async throws {
        let bitmap = try MarkedPicture.make(PixelSize(width: 640, height: 480))
        let bytes = try ImageDestination(format: .jpeg, options: EncodingOptions(quality: 0.4)).encode(bitmap)
        let session = try await ViewerSession([try folder.write(bytes, to: "photo.jpg")])
        try await session.waitForPicture()
        try await session.key("ctrl+s")
        let path = folder.file("copy.jpeg")
        try await session.type(path, intoWindow: "Save a Copy")
        #expect(await eventually { FileManager.default.fileExists(atPath: path) })
        #expect(try folder.read("copy.jpeg") == bytes)
        #expect(try await session.close() == 0)
    }

    @Test("New, changed and removed files of the folder are noticed")
    func noticesChangesOfTheFolder() async throws {
        let (green, red) = (RGBA8(20, 190, 40), RGBA8(220, 20, 30))
        let file = try write(5)
        let session = try await ViewerSession([file])
        _ = try await session.capture("the picture") { $0.isColor(green, atX: 340, y: 340) }
        _ = try write(4)
        #expect(
            try await eventually {
                try await session.key("Left")
                return try await session.title() == "4.png – Tessera"
            })
        try await session.key("Right")
        #expect(try await eventually { try await session.title() == "5.png – Tessera" })
        _ = try write(5, red)
        _ = try await session.capture("the changed picture") { $0.isColor(red, atX: 340, y: 340) }
        try FileManager.default.removeItem(atPath: file)
        #expect(try await eventually { try await session.title() == "4.png – Tessera" })
        #expect(try await session.close() == 0)
    }

    @Test("Dark artwork on transparency is visible")
    func showsDarkArtworkOnTransparency() async throws {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: 300, height: 200), format: .rgba8, alpha: .straight))
        var rows = bitmap.mutableRows
        for y in 0..<200 {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<300 { row[x] = x < 150 ? RGBA8(0, 0, 0) : RGBA8(0, 0, 0, 0) }
        }
        let file = try folder.write(ImageDestination(format: .png).encode(bitmap.freeze()), to: "artwork.png")
        let session = try await ViewerSession([file])
        _ = try await session.capture("black beside chequers") { capture in
            let row = (450..<660).map { capture.pixel($0, 390) }
            return row.contains { $0.red == 0 } && Set(row.map(\.red)).isSuperset(of: [0x66, 0x99])
        }
        #expect(try await session.close() == 0)
    }

    @Test("Escape sequences in arguments don't reach the terminal")
    func keepsEscapeSequencesFromTheTerminal() async throws {
        let viewer = try RunningProgram(ViewerSession.program, ["--\u{1B}]0;title\u{7}"], environment: [:])
        #expect(await viewer.status() == 1)
        #expect(viewer.errors.contains("no option") && !viewer.errors.contains("\u{1B}"))
    }
}
