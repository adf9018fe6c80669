import Foundation
import ImageFormats
import Raster
import TestSupport
import Testing

/// The program tessera-view in a window on a display of its own, used as people use it.
final class ViewerSession: Sendable {
    static let program = BuiltProgram("tessera-view").path

    let display: Display
    let viewer: RunningProgram
    let window: String
    private let manager: RunningProgram?

    /// Shows `files`, and returns when there is a window and keys go to it.
    /// - Parameters:
    ///   - launcher: A program that starts the viewer, and its arguments.
    ///   - isManaged: Whether a window manager runs, without which no window fills the screen.
    init(
        _ files: [String], environment: [String: String] = [:], launcher: [String] = [], isManaged: Bool = false
    ) async throws {
        let display = try await Display()
        manager =
            try isManaged
            ? RunningProgram(CommandLineTool("openbox").path!, [], environment: display.environment) : nil
        let variables = display.environment.merging(environment) { $1 }
        let words = launcher + [Self.program] + files
        let viewer = try RunningProgram(words[0], Array(words.dropFirst()), environment: variables)
        // Windows of GTK's own come with the one that is shown.
        guard let window = try await Self.window(named: "Tessera$", on: display, of: viewer) else {
            throw Display.Failure("there is no window: \(viewer.errors)")
        }
        (self.display, self.viewer, self.window) = (display, viewer, window)
        try await display.run("xdotool", ["windowfocus", window])
    }

    /// The newest window that is shown under a name, as soon as there is one.
    private static func window(
        named name: String, on display: Display, of viewer: RunningProgram
    ) async throws -> String? {
        var window: Substring?
        _ = try await eventually {
            guard viewer.isRunning else { throw Display.Failure("the viewer ended: \(viewer.errors)") }
            // It fails while there is none.
            let found = try? await display.run("xdotool", ["search", "--onlyvisible", "--name", name])
            window = String(decoding: found ?? [], as: UTF8.self).split(separator: "\n").last
            return window != nil
        }
        return window.map(String.init)
    }

    // MARK: Hands

    func key(_ names: String...) async throws { try await key(names) }
    func key(_ names: [String]) async throws { try await display.run("xdotool", ["key"] + names) }

    /// Types a line into a dialog, once there is one with that title.
    func type(_ text: String, intoWindow title: String) async throws {
        guard let dialog = try await Self.window(named: title, on: display, of: viewer) else {
            throw Display.Failure("there is no \(title)")
        }
        // It takes keys when it is laid out and has the focus, of which no other program learns.
        try await Task.sleep(for: .milliseconds(500))
        try await display.run(
            "xdotool", ["windowfocus", dialog, "key", "ctrl+a", "type", "--delay", "20", text])
        try await display.run("xdotool", ["key", "Return"])
    }

    /// Presses keys in a dialog, once there is one with that title.
    func answer(_ title: String, _ keys: String...) async throws {
        guard let dialog = try await Self.window(named: title, on: display, of: viewer) else {
            throw Display.Failure("there is no \(title)")
        }
        // It takes keys when it is laid out and has the focus, of which no other program learns.
        try await Task.sleep(for: .milliseconds(800))
        try await display.run("xdotool", ["windowfocus", dialog, "key"] + keys)
    }

    /// Turns the wheel at a place: away from the hand for steps above 0.
    func wheel(_ steps: Int, atX x: Int, y: Int) async throws {
        let button = steps > 0 ? "4" : "5"
        try await display.run(
            "xdotool", ["mousemove", "\(x)", "\(y)", "click", "--repeat", "\(abs(steps))", "--delay", "30", button])
    }

    func click(x: Int, y: Int, count: Int = 1) async throws {
        try await display.run(
            "xdotool", ["mousemove", "\(x)", "\(y)", "click", "--repeat", "\(count)", "--delay", "60", "1"])
    }

    /// Moves the pointer with its button down, and lets it rest before the end unless it `throws`.
    func drag(fromX x: Int, y: Int, byX dx: Int, y dy: Int, throws isThrown: Bool = false) async throws {
        var words = ["mousemove", "\(x)", "\(y)", "mousedown", "1"]
        for step in 1...10 {
            words += ["mousemove", "\(x + dx * step / 10)", "\(y + dy * step / 10)", "sleep", "0.02"]
        }
        try await display.run("xdotool", words + (isThrown ? [] : ["sleep", "0.3"]) + ["mouseup", "1"])
    }

    // MARK: Eyes

    /// What is on the display.
    func capture() async throws -> Bitmap { try await display.capture() }

    /// What is on the display as soon as it is as `condition` says.
    func capture(
        _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, until condition: (Bitmap) -> Bool
    ) async throws -> Bitmap {
        try await display.capture(what, of: viewer, sourceLocation: sourceLocation, until: condition)
    }

    /// Returns when there is a picture with colours in the stage's middle: what is done before has nothing to be done to.
    func waitForPicture(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        _ = try await capture("a picture", sourceLocation: sourceLocation) { capture in
            let pixel = capture.pixel(560, 370)
            return max(pixel.red, pixel.green, pixel.blue) - min(pixel.red, pixel.green, pixel.blue) > 8
        }
    }

    /// What is on the display when nothing has moved there for a while.
    func settledCapture() async throws -> Bitmap { try await display.settledCapture() }

    /// The window's title.
    func title() async throws -> String {
        String(decoding: try await display.run("xdotool", ["getwindowname", window]), as: UTF8.self)
            .trimmingCharacters(in: .newlines)
    }

    /// Closes the window, and says how the program ended. A window that has only just come may not hear the first key.
    func close() async throws -> Int32? {
        for _ in 0..<300 {
            _ = try? await display.run("xdotool", ["windowfocus", window, "key", "ctrl+w"])
            if let status = await viewer.status(within: .seconds(1)) { return status }
        }
        return nil
    }
}
