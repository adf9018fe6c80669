import Foundation
import ImageEffects
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

/// The viewer in real windows: keys, wheel and pointer go in, the screen comes out.
@Suite("The viewer", .needsWindows, .serialized)
struct ViewerTests {
    private let folder: TemporaryFolder
    /// Within the picture, whatever panel is shown.
    private let stage = PixelRect(x: 40, y: 120, width: 600, height: 440)
    private let colors = [RGBA8(220, 20, 30), RGBA8(20, 190, 40), RGBA8(30, 40, 210)]
    /// A panel's ground in GTK's light theme.
    private static let panel = RGBA8(255, 255, 255)

    init() throws { folder = try TemporaryFolder() }

    private func write(_ bitmap: Bitmap, _ name: String) throws -> String {
        try folder.write(ImageDestination(format: .png).encode(bitmap), to: name)
    }

    /// Three pictures of one colour each.
    private func plainFiles() throws -> [String] {
        try colors.enumerated().map { index, color in
            try write(Bitmap.plain(color, PixelSize(width: 800, height: 600)), "\(index + 1).png")
        }
    }

    private func isShown(_ color: RGBA8, _ capture: Bitmap) -> Bool { capture.isColor(color, atX: 340, y: 340) }

    @Test("One to one shows the image's exact pixels")
    func oneToOneShowsTheVeryPixels() async throws {
        let size = PixelSize(width: 4096, height: 3072)
        let file = try write(MarkedPicture.make(size), "marked.png")
        let session = try await ViewerSession([file])
        try await session.waitForPicture()
        try await session.key("1")
        let middle = try await session.capture("the picture at one to one") {
            MarkedPicture.match($0, in: stage) == 1
        }
        #expect(try await session.title() == "marked.png – Tessera")

        // The picture's middle is in the stage's, which lies in the window's.
        let place = MarkedPicture.place(of: middle.pixel(550, 360))
        #expect(abs(place.x - 2048) < 60 && abs(place.y - 1536) < 60, "\(place)")

        // A drag moves it by just as many pixels, and what comes into view is right too.
        try await session.drag(fromX: 500, y: 400, byX: -170, y: -90)
        let moved = try await session.capture("the picture elsewhere") { capture in
            MarkedPicture.match(capture, in: stage) == 1 && capture.pixel(550, 360) != middle.pixel(550, 360)
        }
        let other = MarkedPicture.place(of: moved.pixel(550, 360))
        #expect(other.x - place.x == 170 && other.y - place.y == 90, "\(other) after \(place)")
        #expect(try await session.close() == 0)
    }

    @Test("The wheel zooms about the pointer")
    func theWheelZoomsAboutThePointer() async throws {
        let file = try write(MarkedPicture.make(PixelSize(width: 3000, height: 2250)), "marked.png")
        let session = try await ViewerSession([file])
        try await session.waitForPicture()
        try await session.key("1")
        let before = try await session.capture("one to one") { MarkedPicture.match($0, in: stage) == 1 }
        let (x, y) = (300, 300)
        let place = MarkedPicture.place(of: before.pixel(x, y))
        // Steps out and in lead back to where it was, with the same pixel under the pointer.
        try await session.wheel(-2, atX: x, y: y)
        _ = try await session.capture("a smaller picture") { MarkedPicture.match($0, in: stage) < 0.5 }
        try await session.wheel(2, atX: x, y: y)
        let after = try await session.capture("one to one again") { MarkedPicture.match($0, in: stage) > 0.99 }
        let now = MarkedPicture.place(of: after.pixel(x, y))
        #expect(abs(now.x - place.x) <= 1 && abs(now.y - place.y) <= 1, "\(now), \(place) before")
        #expect(try await session.close() == 0)
    }

    @Test("Keys and swipes turn pages")
    func pagesByKeysAndBySwiping() async throws {
        let session = try await ViewerSession(plainFiles())
        _ = try await session.capture("the first") { isShown(colors[0], $0) }
        try await session.key("Right")
        _ = try await session.capture("the second") { isShown(colors[1], $0) }
        try await session.key("End")
        _ = try await session.capture("the last") { isShown(colors[2], $0) }
        #expect(try await session.title() == "3.png – Tessera")
        try await session.key("Right")
        try await session.key("Page_Up")
        _ = try await session.capture("the second again") { isShown(colors[1], $0) }
        // A swipe to the right brings the one on the left.
        try await session.drag(fromX: 300, y: 350, byX: 700, y: 10, throws: true)
        _ = try await session.capture("the first again") { isShown(colors[0], $0) }
        // A short one that rests turns nothing.
        try await session.drag(fromX: 500, y: 350, byX: -120, y: 0)
        _ = try await session.capture("the first, in its place") { isShown(colors[0], $0) }
        // Nothing follows, which can only be waited for.
        try await Task.sleep(for: .milliseconds(600))
        #expect(try await session.title() == "1.png – Tessera")
        #expect(try await session.close() == 0)
    }

    @Test("Panning at an edge turns no page")
    func panningAtAnEdgeTurnsNoPage() async throws {
        let marked = try write(MarkedPicture.make(PixelSize(width: 3000, height: 2250)), "1.png")
        let plain = try write(Bitmap.plain(colors[1], PixelSize(width: 800, height: 600)), "2.png")
        let session = try await ViewerSession([marked, plain])
        try await session.waitForPicture()
        try await session.key("1")
        _ = try await session.capture("one to one") { MarkedPicture.match($0, in: stage) == 1 }
        // From the middle, in one go, past the right edge: the picture stops there.
        for _ in 0..<2 { try await session.drag(fromX: 900, y: 350, byX: -760, y: 0) }
        let edge = try await session.settledCapture()
        #expect(MarkedPicture.match(edge, in: stage) == 1)
        #expect(try await session.title() == "1.png – Tessera")
        // Zooming beside the neighbour's edge shows this picture alone.
        try await session.wheel(1, atX: 1050, y: 350)
        _ = try await session.settledCapture()
        try await session.wheel(-1, atX: 1050, y: 350)
        let again = try await session.capture("the edge again") { MarkedPicture.match($0, in: stage) > 0.99 }
        let (a, b) = (MarkedPicture.place(of: edge.pixel(300, 300)), MarkedPicture.place(of: again.pixel(300, 300)))
        #expect(abs(a.x - b.x) <= 1 && abs(a.y - b.y) <= 1, "\(a), then \(b)")
        #expect(try await session.title() == "1.png – Tessera")
        #expect(try await session.close() == 0)
    }

    @Test("Effects have the library's pixels")
    func effectsAreThoseOfTheLibrary() async throws {
        let session = try await ViewerSession([plainFiles()[1]])
        _ = try await session.capture("the picture") { isShown(colors[1], $0) }
        try await session.key("e")
        // A slider that isn't there yet has no key.
        _ = try await session.capture("the panel") { $0.isColor(Self.panel, atX: 1060, y: 620) }
        _ = try await session.settledCapture()
        try await session.key("alt+s")
        try await session.key("End")
        let sepia = try Image(Bitmap.plain(colors[1], PixelSize(width: 8, height: 8))).applying(.sepia(1)).bitmap()
        let expected = try sepia.converted(to: .rgba8, alpha: AlphaMode.none).pixel(4, 4)
        _ = try await session.capture("the picture in sepia, \(expected)") { isShown(expected, $0) }
        try await session.key("Home")
        _ = try await session.capture("the picture as it is") { isShown(colors[1], $0) }
        #expect(try await session.close() == 0)
    }

    @Test("Effects are shown at full resolution")
    func effectsAreShownPixelByPixel() async throws {
        let session = try await ViewerSession([
            try write(MarkedPicture.make(PixelSize(width: 4096, height: 3072)), "marked.png")
        ])
        try await session.waitForPicture()
        try await session.key("e")
        _ = try await session.capture("the panel") { $0.isColor(Self.panel, atX: 1060, y: 620) }
        _ = try await session.settledCapture()
        try await session.key("1")
        let plain = try await session.capture("one to one") { MarkedPicture.match($0, in: stage) == 1 }
        try await session.key("alt+s")
        try await session.key("End")
        let sepia = try Image(plain).applying(.sepia(1)).bitmap().cropped(to: stage).tightBytes()
        _ = try await session.capture("the same pixels in sepia") {
            (try? $0.cropped(to: stage).tightBytes()) == sepia
        }
        // Without them it is where it was.
        try await session.key("Home")
        let plainStage = try plain.cropped(to: stage).tightBytes()
        _ = try await session.capture("the same pixels again") {
            (try? $0.cropped(to: stage).tightBytes()) == plainStage
        }
        #expect(try await session.close() == 0)
    }

    @Test("Animations play and pause")
    func playsAnimationsAndPausesThem() async throws {
        let frames = try colors.map { try Bitmap.plain($0, PixelSize(width: 800, height: 600)) }
        let file = try folder.write(AnimatedFile.gif(frames, delay: 0.25), to: "animation.gif")
        let session = try await ViewerSession([file])
        for color in colors + colors {
            _ = try await session.capture("a frame of \(color)") { isShown(color, $0) }
        }
        try await session.key("p")
        // Paused as soon as it shows one frame for more than a second: each lasts a quarter of one.
        var last: RGBA8?
        var stillCount = 0
        #expect(
            try await eventually(every: .milliseconds(300)) {
                let pixel = try await session.capture().pixel(340, 340)
                stillCount = pixel == last ? stillCount + 1 : 0
                last = pixel
                return stillCount == 4
            })
        #expect(try await session.close() == 0)
    }

    #if SVG
    @Test("Drawings are redrawn at each zoom")
    func drawsDrawingsAnewAtEachZoom() async throws {
        let drawing = """
            <svg xmlns="http://www.w3.org/2000/svg" width="64" height="48">
            <rect width="64" height="48" fill="#dc141e"/><rect x="32" width="32" height="48" fill="#14be28"/></svg>
            """
        let session = try await ViewerSession([try folder.write(Array(drawing.utf8), to: "drawing.svg")])
        try await session.key(String(repeating: "plus ", count: 10).split(separator: " ").map(String.init))
        // Between the two there is no more than a pixel of a mixture, as no enlarged picture has it.
        _ = try await session.capture("a sharp edge") { capture in
            guard capture.isColor(colors[0], atX: 460, y: 360), capture.isColor(colors[1], atX: 640, y: 360) else {
                return false
            }
            return (460...640).count { x in
                !capture.isColor(colors[0], atX: x, y: 360) && !capture.isColor(colors[1], atX: x, y: 360)
            } <= 1
        }
        #expect(try await session.close() == 0)
    }
    #endif

    @Test("An image can be zoomed before it is loaded")
    func zoomsAPictureThatIsNotThereYet() async throws {
        let file = try write(MarkedPicture.make(PixelSize(width: 4096, height: 3072)), "marked.png")
        let session = try await ViewerSession([file])
        try await session.key("1")
        _ = try await session.capture("the picture at one to one") { MarkedPicture.match($0, in: stage) == 1 }
        #expect(try await session.close() == 0)
    }

    @Test("File and data URLs are opened")
    func takesAddressesOfFilesAndData() async throws {
        let file = try plainFiles()[1]
        let data = try ImageDestination(format: .png).encode(
            Bitmap.plain(colors[2], PixelSize(width: 800, height: 600)))
        let address = "data:image/png;base64,\(Data(data).base64EncodedString())"
        let session = try await ViewerSession(["file://\(file)", address])
        _ = try await session.capture("the file") { isShown(colors[1], $0) }
        try await session.key("Right")
        _ = try await session.capture("the data") { isShown(colors[2], $0) }
        #expect(try await session.close() == 0)
    }

    @Test("The displayed image is saved")
    func savesWhatIsShown() async throws {
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 300, height: 200), format: .rgba8))
        var rows = bitmap.mutableRows
        for y in 0..<200 {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<300 { row[x] = x < 150 ? colors[0] : colors[1] }
        }
        let session = try await ViewerSession([try write(bitmap.freeze(), "two.png")])
        _ = try await session.capture("the picture") { $0.isColor(colors[0], atX: 480, y: 390) }
        try await session.key("r")
        _ = try await session.capture("the picture turned") { capture in
            capture.isColor(colors[0], atX: 530, y: 320) && capture.isColor(colors[0], atX: 570, y: 320)
        }
        try await session.key("ctrl+s")
        let path = folder.file("saved.png")
        try await session.type(path, intoWindow: "Save a Copy")
        #expect(await eventually { FileManager.default.fileExists(atPath: path) })
        let saved = try ImageSource.decode(folder.read("saved.png")).bitmap.converted(to: .rgba8, alpha: AlphaMode.none)
        #expect(saved.size == PixelSize(width: 200, height: 300))
        #expect(saved.isColor(colors[0], atX: 100, y: 50) && saved.isColor(colors[1], atX: 100, y: 250))
        #expect(try await session.close() == 0)
    }

    @Test("Files that aren't images, and files that are gone, are reported")
    func saysWhatIsNoPictureAndWhatIsGone() async throws {
        var files = try plainFiles()
        files.append(try folder.write([1, 2, 3], to: "4.png"))
        let session = try await ViewerSession(files)
        _ = try await session.capture("the first") { isShown(colors[0], $0) }
        try FileManager.default.removeItem(atPath: files[2])
        try await session.key("End")
        #expect(try await eventually { try await session.title().hasPrefix("4.png") })
        try await session.key("Left")
        _ = try await session.capture("no picture") { capture in !colors.contains { isShown($0, capture) } }
        try await session.key("F5", "i", "plus", "r", "1")
        // The one that was there is there again, though its file is gone now too.
        try FileManager.default.removeItem(atPath: files[1])
        try await session.key("Home")
        _ = try await session.capture("the first again") { isShown(colors[0], $0) }
        #expect(session.viewer.isRunning)
        #expect(try await session.close() == 0)
    }

    @Test("The window closes at any moment", arguments: [0, 20, 60, 150, 300, 600, 1200])
    func closesAtAnyMoment(_ milliseconds: Int) async throws {
        let marked = try write(MarkedPicture.make(PixelSize(width: 4096, height: 3072)), "marked.png")
        let session = try await ViewerSession([marked] + plainFiles())
        try await session.key("1", "e", "Right")
        // The moment is what is tested; none is too early or too late.
        try await Task.sleep(for: .milliseconds(milliseconds))
        #expect(try await session.close() == 0, "\(session.viewer.errors)")
    }

    @Test("A missing display is reported")
    func saysThatThereIsNoDisplay() async throws {
        let viewer = try RunningProgram(
            ViewerSession.program, ["a.png"], environment: ["PATH": "/usr/bin:/bin", "DISPLAY": ":4095"])
        #expect(await viewer.status() == 1)
        #expect(viewer.errors.contains("there is no display"), "\(viewer.errors)")
    }

    @Test("The usage is printed")
    func saysHowItIsCalled() async throws {
        let viewer = try RunningProgram(ViewerSession.program, ["--help"], environment: [:])
        #expect(await viewer.status() == 0)
        #expect(String(decoding: viewer.output, as: UTF8.self).contains("USAGE: tessera-view"))
        let other = try RunningProgram(ViewerSession.program, ["--unknown"], environment: [:])
        #expect(await other.status() == 1)
        #expect(other.errors.contains("no option --unknown"))
    }

    @Test("Arguments after -- are file names")
    func takesWhatFollowsDashesForNames() async throws {
        let session = try await ViewerSession(["--", "--unknown"])
        #expect(try await session.title() == "--unknown – Tessera")
        #expect(try await session.close() == 0)
    }

    @Test("Escape closes a panel")
    func closesAPanelByEscape() async throws {
        let session = try await ViewerSession([plainFiles()[1]])
        _ = try await session.capture("the picture") { isShown(colors[1], $0) }
        for key in ["i", "e"] {
            try await session.key(key)
            _ = try await session.capture("the panel") { $0.isColor(Self.panel, atX: 1060, y: 640) }
            try await session.key("Escape")
            _ = try await session.capture("no panel") { !$0.isColor(Self.panel, atX: 1060, y: 640) }
        }
        #expect(try await session.close() == 0)
    }
}
