import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

/// Widgets by files of GtkBuilder, at times that the tests set and with fingers that they have.
@Suite("Widgets", .needsWindows, .serialized)
struct SceneTests {
    private let folder: TemporaryFolder
    private let colors = [RGBA8(220, 20, 30), RGBA8(20, 190, 40), RGBA8(30, 40, 210)]

    init() throws { folder = try TemporaryFolder() }

    private func plainFile(_ index: Int) throws -> String {
        let bitmap = try Bitmap.plain(colors[index], PixelSize(width: 800, height: 600))
        return try folder.write(ImageDestination(format: .png).encode(bitmap), to: "\(index).png")
    }

    private func isShown(_ color: RGBA8, _ capture: Bitmap) -> Bool { capture.isColor(color, atX: 400, y: 300) }

    private func shows(_ color: RGBA8, _ session: SceneSession) async throws -> Bool {
        isShown(color, try await session.display.capture())
    }

    /// So much of `b`, the rest of `a`.
    private func mix(_ a: RGBA8, _ b: RGBA8, _ part: Double) -> RGBA8 {
        func channel(_ a: UInt8, _ b: UInt8) -> UInt8 {
            UInt8((Double(a) + (Double(b) - Double(a)) * part).rounded())
        }
        return RGBA8(channel(a.red, b.red), channel(a.green, b.green), channel(a.blue, b.blue))
    }

    @Test("The crossfade follows the clock")
    func crossfadesByTheClock() async throws {
        let (first, second) = (try plainFile(0), try plainFile(1))
        let session = try await SceneSession()
        try await session.tell("show TesseraEffectImage crossfade-duration=0.5 uri=\(first)")
        // The first fades in too, from nothing.
        var time = 0
        #expect(
            try await eventually(every: .milliseconds(100)) {
                time += 1000
                try await session.tell("time \(time)")
                return try await shows(colors[0], session)
            })
        try await session.tell("set uri=\(second)")
        // The fade begins when the picture is there. From then on every 50 ms are a tenth of the way.
        var seen: [RGBA8] = []
        for _ in 0..<200 where seen.last.map({ !isClose($0, colors[1]) }) ?? true {
            let before = try await session.display.capture().pixel(400, 300)
            time += 50
            try await session.tell("time \(time)")
            var now = before
            // Before it has begun nothing changes, which can only be waited for; then each step does, sooner or later.
            _ = try await eventually(within: seen.isEmpty ? .seconds(1) : .seconds(300), every: .milliseconds(40)) {
                now = try await session.display.capture().pixel(400, 300)
                return now != before
            }
            if now != before { seen.append(now) }
        }
        let expected = (1...10).map { mix(colors[0], colors[1], Double($0) / 10) }
        #expect(seen.count == expected.count && zip(seen, expected).allSatisfy { isClose($0, $1) }, "\(seen)")
    }

    private func isClose(_ a: RGBA8, _ b: RGBA8) -> Bool {
        abs(Int(a.red) - Int(b.red)) <= 2 && abs(Int(a.green) - Int(b.green)) <= 2
            && abs(Int(a.blue) - Int(b.blue)) <= 2
    }

    @Test("The frame that is due is shown")
    func showsTheFrameThatIsDue() async throws {
        let frames = try colors.map { try Bitmap.plain($0, PixelSize(width: 800, height: 600)) }
        let file = try folder.write(AnimatedFile.gif(frames, delay: 0.25), to: "animation.gif")
        let session = try await SceneSession()
        try await session.tell("show TesseraAnimatedImage uri=\(file)")
        let steps = [
            (0, 0), (240, 0), (260, 1), (490, 1), (510, 2), (740, 2), (760, 0), (760 + 4 * 750, 0), (4010, 1),
            // Late by several loops: those are skipped.
            (4010 + 100 * 750, 1), (4260 + 100 * 750, 2),
        ]
        for (time, frame) in steps {
            try await session.tell("time \(time)")
            try await session.capture("frame \(frame) at \(time)") { isShown(colors[frame], $0) }
            // It stays: nothing but the clock moves it.
            try await Task.sleep(for: .milliseconds(100))
            #expect(try await shows(colors[frame], session), "at \(time)")
        }
        try await session.tell("set playing=false")
        try await session.tell("time 90000")
        // Nothing follows, which can only be waited for; so it is below.
        try await Task.sleep(for: .milliseconds(200))
        #expect(try await shows(colors[2], session))
        try await session.tell("set rate=0.5")
        try await session.tell("set playing=true")
        // At half the rate the rest of the frame takes twice as long.
        try await session.tell("time 90400")
        try await Task.sleep(for: .milliseconds(200))
        #expect(try await shows(colors[2], session))
        try await session.tell("time 90520")
        try await session.capture("the first frame") { isShown(colors[0], $0) }
    }

    @Test("Touch gestures move and zoom")
    func fingersMoveAndZoom() async throws {
        let marked = try MarkedPicture.make(PixelSize(width: 4096, height: 3072))
        let file = try folder.write(ImageDestination(format: .png).encode(marked), to: "marked.png")
        let session = try await SceneSession()
        try await session.tell("show TesseraZoomableImage uri=\(file)")
        let all = PixelRect(x: 0, y: 0, width: 800, height: 600)
        // As far right as it goes, the columns have high numbers.
        try await session.capture("all of it") { MarkedPicture.place(of: $0.pixel(790, 300)).x > 3900 }

        // A double tap goes to one to one, about the finger. GTK begins a drag with each press, this one too.
        #expect(try await session.tell("send press x=400 y=300 count=2") == "true")
        try await session.tell("send drag-begin x=400 y=300")
        try await session.tell("send drag-end x=400 y=300 dx=0 dy=0")
        try await session.tell("time 3000")
        let tapped = try await session.capture("one to one") { MarkedPicture.match($0, in: all) == 1 }
        let middle = MarkedPicture.place(of: tapped.pixel(400, 300))
        #expect(abs(middle.x - 2048) <= 2 && abs(middle.y - 1536) <= 2, "\(middle)")

        // A drag that rests before the finger is lifted moves it by just as much.
        try await session.tell("send drag-begin x=400 y=300")
        try await session.tell("send drag x=400 y=300 dx=-100 dy=-50")
        try await session.tell("time 4000")
        try await session.tell("send drag-end x=400 y=300 dx=-100 dy=-50")
        let dragged = try await session.capture("the picture elsewhere") { capture in
            MarkedPicture.match(capture, in: all) == 1 && capture.pixel(400, 300) != tapped.pixel(400, 300)
        }
        let place = MarkedPicture.place(of: dragged.pixel(400, 300))
        #expect(place.x - middle.x == 100 && place.y - middle.y == 50, "\(place) after \(middle)")

        // One that is thrown goes on by itself, and comes to rest.
        try await session.tell("send drag-begin x=400 y=300")
        for step in 1...5 {
            try await session.tell("time \(4000 + 16 * step)")
            try await session.tell("send drag x=400 y=300 dx=\(-10 * step) dy=0")
        }
        try await session.tell("send drag-end x=400 y=300 dx=-50 dy=0")
        try await session.tell("time 9000")
        let thrown = try await session.capture("the picture further away") { capture in
            MarkedPicture.match(capture, in: all) > 0.99
                && MarkedPicture.place(of: capture.pixel(400, 300)).x > place.x + 60
        }
        #expect(MarkedPicture.place(of: thrown.pixel(400, 300)).y == place.y)

        // Two fingers: twice as large about the point between them, and back.
        let start = MarkedPicture.place(of: thrown.pixel(300, 200))
        try await session.tell("send pinch-begin x=300 y=200")
        try await session.tell("send pinch x=300 y=200 scale=1.5")
        try await session.tell("send pinch x=300 y=200 scale=2")
        let large = try await session.capture("twice as large") { capture in
            let there = MarkedPicture.place(of: capture.pixel(500, 200))
            return abs(there.x - start.x - 100) <= 1
        }
        let held = MarkedPicture.place(of: large.pixel(300, 200))
        #expect(abs(held.x - start.x) <= 1 && abs(held.y - start.y) <= 1, "\(held), \(start) before")
        try await session.tell("send pinch x=300 y=200 scale=1")
        try await session.tell("send pinch-end x=300 y=200 scale=1")
        try await session.tell("time 12000")
        let again = try await session.capture("one to one again") { MarkedPicture.match($0, in: all) > 0.99 }
        let back = MarkedPicture.place(of: again.pixel(300, 200))
        #expect(abs(back.x - start.x) <= 1 && abs(back.y - start.y) <= 1, "\(back), \(start) before")
    }

    @Test("Effects are properties")
    func effectsAreProperties() async throws {
        let bitmap = try Bitmap.plain(colors[0], PixelSize(width: 200, height: 100))
        let file = try folder.write(ImageDestination(format: .png).encode(bitmap), to: "small.png")
        let session = try await SceneSession()
        try await session.tell(
            "show TesseraEffectImage crossfade-duration=0 content-mode=topLeft shadow-color=#1030f0 shadow-offset-x=20 "
                + "shadow-offset-y=10 asynchronous=false cache-key=first uri=\(file)")
        for (name, value) in [("shadow-color", "#1030f0"), ("content-mode", "topLeft"), ("cache-key", "first")] {
            #expect(try await session.tell("get \(name)") == value)
        }
        #expect(try await session.tell("flag asynchronous") == "false")
        #expect(try await session.tell("number shadow-offset-x") == "20.0")
        // The result is as large as the picture and lies in the view's middle; the shadow shows to its right and below.
        try await session.capture("the picture, unscaled, and its shadow") { capture in
            capture.isColor(colors[0], atX: 400, y: 300) && capture.isColor(colors[0], atX: 490, y: 340)
                && capture.isColor(RGBA8(16, 48, 240), atX: 510, y: 340)
                && capture.isColor(RGBA8(16, 48, 240), atX: 410, y: 355)
                && !capture.isColor(colors[0], atX: 290, y: 300)
        }
        try await session.tell("set shadow-color=#00ff0000")
        try await session.capture("no shadow any more") { !$0.isColor(RGBA8(16, 48, 240), atX: 510, y: 340) }
        try await session.tell("set content-mode=scaleToFill")
        try await session.capture("all of the view") { $0.isColor(colors[0], atX: 20, y: 20) }
        // What names no mode and no colour changes nothing, and an empty key is none.
        for (name, value) in [("content-mode", "sideways"), ("shadow-color", "blueish"), ("cache-key", "")] {
            try await session.tell("set \(name)=\(value)")
        }
        #expect(try await session.tell("get content-mode") == "scaleToFill")
        #expect(try await session.tell("get shadow-color") == "#00ff0000")
        #expect(try await session.tell("get cache-key") == "")
        try await session.tell("set asynchronous=true")
        #expect(try await session.tell("flag asynchronous") == "true")
    }

    @Test("The display's scale is known", arguments: [1, 2]) func theDisplaysScaleIsKnown(_ scale: Int) async throws {
        // As many points each, at the two scales; which one is shown is told by the colour.
        for (name, color, side) in [("a.png", colors[0], 100), ("a@2x.png", colors[2], 200)] {
            let bitmap = try Bitmap.plain(color, PixelSize(width: side, height: side))
            try folder.write(ImageDestination(format: .png).encode(bitmap), to: name)
        }
        let session = try await SceneSession(scale: scale)
        #expect(try await session.tell("display") == "\(scale).0", "before there is a window")
        try await session.tell(
            "show TesseraEffectImage crossfade-duration=0 content-mode=center uri=\(folder.file("a.png"))")
        let expected = scale == 2 ? colors[2] : colors[0]
        func count(_ capture: Bitmap) -> Int {
            (0..<900).reduce(0) { sum, y in
                let row = capture.rows.row(y, as: RGBA8.self)
                return sum + (0..<1280).count { row[$0] == expected }
            }
        }
        let capture = try await session.capture("the file for the display") { count($0) > 0 }
        // 100 × 100 points of device pixels.
        #expect(count(capture) == 100 * scale * 100 * scale)
        #expect(try await session.tell("display") == "\(scale).0")
        try await session.tell("rescale")
        #expect(try await session.tell("display") == "\(scale).0")
    }

    @Test("Of many sources, the last is shown", arguments: ["TesseraImage", "TesseraEffectImage"])
    func showsTheLastOfMany(_ type: String) async throws {
        let files = try (0..<3).map { try plainFile($0) }
        let session = try await SceneSession()
        try await session.tell("show \(type) crossfade-duration=0 uri=\(files[0])")
        for count in 1...60 { try await session.tell("set uri=\(files[count % 3])") }
        try await session.tell("set uri=\(files[1])")
        try await session.capture("the last one") { isShown(colors[1], $0) }
        // None of the others comes after it, which can only be waited for.
        try await Task.sleep(for: .milliseconds(300))
        #expect(try await shows(colors[1], session))
    }

    @Test("Image widgets show their images")
    func widgetsOfPicturesShowThem() async throws {
        let session = try await SceneSession()
        let file = try plainFile(2)
        try await session.tell("show TesseraImage crossfade-duration=0 fit=2 uri=\(file)")
        try await session.capture("the picture") { isShown(colors[2], $0) }
        #expect(try await session.tell("get uri") == file)
        let other = try plainFile(1)
        try await session.tell("set uri=\(other)")
        try await session.capture("the other") { isShown(colors[1], $0) }
        // A reflection goes beyond the widget's picture: half of it again, after the gap.
        try await session.tell(
            "show TesseraEffectImage crossfade-duration=0 reflection-scale=0.5 reflection-alpha=1 reflection-gap=10 "
                + "corner-radius=20 uri=\(file)")
        try await session.capture("the picture with effects") { isShown(colors[2], $0) }
    }
}
