import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

/// The viewer on a desktop: its themes, narrow windows, full screen, slideshows, other programs.
@Suite("The viewer on a desktop", .needsWindows, .serialized)
struct ViewerDesktopTests {
    private let folder: TemporaryFolder
    private let colors = [RGBA8(220, 20, 30), RGBA8(20, 190, 40), RGBA8(30, 40, 210)]

    init() throws { folder = try TemporaryFolder() }

    private func write(_ number: Int, _ size: PixelSize = PixelSize(width: 800, height: 600)) throws -> String {
        let bitmap = try Bitmap.plain(colors[number - 1], size)
        return try folder.write(ImageDestination(format: .png).encode(bitmap), to: "\(number).png")
    }

    private func isShown(_ color: RGBA8, _ capture: Bitmap) -> Bool { capture.isColor(color, atX: 340, y: 340) }

    private var environment: [String: String] { ["XDG_DATA_HOME": folder.file("data")] }

    /// WCAG 2.1's relative luminance of a colour.
    private func luminance(_ color: RGBA8) -> Double {
        func linear(_ value: UInt8) -> Double {
            let part = Double(value) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
    }

    /// The contrast of the most common colour of a part of the display with the one that differs most: text's and its ground's.
    private func contrast(_ capture: Bitmap, _ rect: PixelRect) -> Double {
        var counts: [RGBA8: Int] = [:]
        for y in rect.y..<(rect.y + rect.height) {
            for x in rect.x..<(rect.x + rect.width) { counts[capture.pixel(x, y), default: 0] += 1 }
        }
        let ground = luminance(counts.max { $0.value < $1.value }!.key)
        return counts.keys.map { color in
            let (a, b) = (luminance(color), ground)
            return (max(a, b) + 0.05) / (min(a, b) + 0.05)
        }.max()!
    }

    @Test(
        "Text has a contrast of 4.5:1 in every theme, light where the theme is",
        arguments: ["Adwaita", "Adwaita:dark", "HighContrast", "HighContrast:dark"])
    func isLegibleInEveryTheme(_ theme: String) async throws {
        let session = try await ViewerSession(
            [write(2)], environment: environment.merging(["GTK_THEME": theme]) { $1 })
        _ = try await session.capture("the picture") { isShown(colors[1], $0) }
        try await session.key("i")
        _ = try await session.settledCapture()
        let capture = try await session.settledCapture()
        let isLight = luminance(capture.pixel(1060, 700)) > 0.5
        #expect(isLight == (theme == "Adwaita" || theme == "HighContrast"))
        // Name and place in the title bar; the names and values of facts.
        let parts = [
            PixelRect(x: 450, y: 6, width: 200, height: 18), PixelRect(x: 450, y: 26, width: 200, height: 16),
            PixelRect(x: 798, y: 60, width: 120, height: 18), PixelRect(x: 798, y: 90, width: 60, height: 18),
            PixelRect(x: 870, y: 90, width: 100, height: 18),
        ]
        for part in parts { #expect(contrast(capture, part) >= 4.5, "at \(part)") }
        #expect(try await session.close() == 0)
    }

    @Test("A window of 390 points shows the whole image and its buttons")
    func fitsNarrowWindows() async throws {
        let session = try await ViewerSession([write(2)], environment: environment)
        _ = try await session.capture("the picture") { isShown(colors[1], $0) }
        try await session.display.run("xdotool", ["windowsize", session.window, "390", "700"])
        // 390 points wide, the picture is 292 high; a wider layout would cut it off at the right.
        _ = try await session.capture("the picture in the narrow window") { capture in
            let rows = (60..<690).filter { capture.isColor(colors[1], atX: 195, y: $0) }
            return (280...300).contains(rows.count) && capture.isColor(colors[1], atX: 380, y: rows[rows.count / 2])
        }
        // A panel has the image's place.
        try await session.key("i")
        _ = try await session.capture("the panel") { capture in
            !(60..<690).contains { capture.isColor(colors[1], atX: 195, y: $0) }
        }
        try await session.key("Escape")
        _ = try await session.capture("the picture again") { capture in
            (60..<690).contains { capture.isColor(colors[1], atX: 195, y: $0) }
        }
        #expect(try await session.close() == 0)
    }

    @Test("The pointer's movement shows controls, in full screen too", .needs(CommandLineTool("openbox")))
    func showsControlsOnMovement() async throws {
        let ground = RGBA8(0x28, 0x28, 0x2C)
        let session = try await ViewerSession([write(1), write(2)], environment: environment, isManaged: true)
        _ = try await session.capture("the picture") { isShown(colors[0], $0) }
        try await session.key("f")
        // The middle of the picture is that of the display.
        _ = try await session.capture("the picture in full screen") { capture in
            capture.isColor(RGBA8(0x16, 0x16, 0x17), atX: 8, y: 8) && capture.isColor(colors[0], atX: 245, y: 155)
                && capture.isColor(RGBA8(0x16, 0x16, 0x17), atX: 1270, y: 890)
        }
        func hasControls(_ capture: Bitmap) -> Bool {
            (600..<900).contains { y in (300..<800).contains { capture.isColor(ground, atX: $0, y: y) } }
        }
        _ = try await session.capture("no controls") { !hasControls($0) }
        try await session.display.run("xdotool", ["mousemove", "300", "300", "mousemove", "320", "310"])
        _ = try await session.capture("the controls") { hasControls($0) }
        _ = try await session.capture("no controls after a while") { !hasControls($0) }
        #expect(try await session.close() == 0)
    }

    @Test("A slideshow goes from picture to picture, and ends by Escape")
    func showsSlides() async throws {
        let session = try await ViewerSession([write(1), write(2)], environment: environment)
        _ = try await session.capture("the first") { isShown(colors[0], $0) }
        try await session.key("s")
        #expect(try await eventually { try await session.title() == "2.png – Tessera" })
        #expect(try await eventually { try await session.title() == "1.png – Tessera" })
        try await session.key("Escape")
        // Longer than a picture is shown for; nothing follows, which can only be waited for.
        try await Task.sleep(for: .seconds(7))
        #expect(try await session.title() == "1.png – Tessera")
        #expect(try await session.close() == 0)
    }

    @Test("The context menu opens by the second button and by a key")
    func opensAContextMenu() async throws {
        let session = try await ViewerSession([write(1), write(2)], environment: environment)
        _ = try await session.capture("the picture") { isShown(colors[0], $0) }
        try await session.display.run("xdotool", ["mousemove", "300", "200", "click", "3"])
        _ = try await session.capture("a menu over the picture") { !isShown(colors[0], $0) }
        try await session.key("Escape")
        _ = try await session.capture("the picture again") { isShown(colors[0], $0) }
        try await session.key("Menu")
        _ = try await session.capture("a menu in the middle") { !$0.isColor(colors[0], atX: 600, y: 400) }
        try await session.key("Escape")
        #expect(try await session.close() == 0)
    }

    @Test("Open With starts the program that is chosen with the file")
    func opensWithOtherPrograms() async throws {
        let file = try write(1)
        try FileManager.default.createDirectory(
            atPath: folder.file("data/applications"), withIntermediateDirectories: true)
        let entry = """
            [Desktop Entry]
            Type=Application
            Name=Witness
            Exec=/bin/cp %f \(folder.file("witness.png"))
            MimeType=image/png;
            """
        try folder.write(Array(entry.utf8), to: "data/applications/witness.desktop")
        try folder.write(
            Array("[Default Applications]\nimage/png=witness.desktop\n".utf8), to: "data/applications/mimeapps.list")
        let session = try await ViewerSession([file], environment: environment)
        _ = try await session.capture("the picture") { isShown(colors[0], $0) }
        // Elsewhere than in the menu, where it would choose an item.
        try await session.display.run("xdotool", ["mousemove", "40", "600"])
        try await session.key("Menu")
        _ = try await session.settledCapture()
        try await session.key("Return")
        try await session.answer("Open With", "Return")
        #expect(await eventually { FileManager.default.fileExists(atPath: folder.file("witness.png")) })
        #expect(try await session.close() == 0)
    }

    @Test("Printing to a file makes a PDF")
    func prints() async throws {
        let session = try await ViewerSession(
            [write(1)], environment: environment,
            launcher: ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path])
        _ = try await session.capture("the picture") { isShown(colors[0], $0) }
        try await session.key("ctrl+p")
        // Into the list of printers, and its only one.
        try await session.answer("Print", "Tab", "Down", "space")
        _ = try await session.settledCapture()
        try await session.key("alt+p")
        let path = folder.file("output.pdf")
        #expect(
            try await eventually {
                try FileManager.default.fileExists(atPath: path)
                    && String(decoding: folder.read("output.pdf").suffix(8), as: UTF8.self).contains("%%EOF")
            })
        let file = try folder.read("output.pdf")
        #expect(file.starts(with: "%PDF".utf8))
        #expect(String(decoding: file, as: UTF8.self).contains("/Subtype /Image"))
        #expect(try await session.close() == 0)
    }

    @Test("Desktops with portals are asked for the background", .needs(DesktopStandIn.python))
    func asksThePortalForTheWallpaper() async throws {
        let file = try write(1)
        let services = try await DesktopStandIn(record: folder.file("record"))
        let session = try await ViewerSession(
            [file], environment: environment.merging(services.environment) { $1 })
        _ = try await session.capture("the picture") { isShown(colors[0], $0) }
        try await session.display.run("xdotool", ["mousemove", "40", "600"])
        try await session.key("Menu")
        _ = try await session.settledCapture()
        try await session.key("Up", "Up", "Up", "Return")
        #expect(
            await eventually {
                (try? folder.read("record")).map {
                    String(decoding: $0, as: UTF8.self).contains("SetWallpaperURI file://\(file) background\n")
                } ?? false
            })
        #expect(try await session.close() == 0)
    }

    @Test("Pictures are shown in the colours of the monitor that colord knows", .needs(DesktopStandIn.python))
    func showsMonitorColors() async throws {
        // Red and blue are each other's: what is sent to such a monitor has them exchanged.
        let profile = TestProfiles.rgb(
            red: [0.14307, 0.06061, 0.7141], green: [0.38515, 0.71687, 0.09708], blue: [0.43607, 0.22249, 0.01392],
            gamma: 2.2)
        let services = try await DesktopStandIn(
            record: folder.file("record"), profile: folder.write(profile, to: "monitor.icc"))
        let session = try await ViewerSession(
            [write(1), write(3)], environment: environment.merging(services.environment) { $1 })
        _ = try await session.capture("red as blue") { capture in
            let pixel = capture.pixel(340, 340)
            return pixel.blue > 180 && pixel.red < 80
        }
        try await session.key("Right")
        _ = try await session.capture("blue as red") { capture in
            let pixel = capture.pixel(340, 340)
            return pixel.red > 180 && pixel.blue < 80
        }
        let record = String(decoding: try folder.read("record"), as: UTF8.self)
        #expect(record.contains("FindDeviceByProperty XRANDR_name"))
        #expect(try await session.close() == 0)
    }

    @Test("The picture becomes the desktop's background")
    func setsTheWallpaper() async throws {
        let variables = [
            "GSETTINGS_BACKEND": "keyfile", "XDG_CONFIG_HOME": folder.file("config"),
            "XDG_RUNTIME_DIR": folder.file("run"),
        ]
        let file = try write(1)
        let session = try await ViewerSession([file], environment: environment.merging(variables) { $1 })
        _ = try await session.capture("the picture") { isShown(colors[0], $0) }
        // Elsewhere than in the menu, where it would choose an item.
        try await session.display.run("xdotool", ["mousemove", "40", "600"])
        try await session.key("Menu")
        _ = try await session.settledCapture()
        // From the end: the trash, information, the wallpaper.
        try await session.key("Up", "Up", "Up", "Return")
        let settings = "config/glib-2.0/settings/keyfile"
        #expect(
            await eventually {
                (try? folder.read(settings)).map {
                    String(decoding: $0, as: UTF8.self).contains("picture-uri='file://\(file)'")
                } ?? false
            })
        #expect(try await session.close() == 0)
    }
}
