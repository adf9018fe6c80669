import Foundation
import ImageFormats
import Raster
import TestSupport
import Testing

/// A display that nobody sees, of 1280 × 900 pixels, by Xvfb.
final class Display: Sendable {
    /// What DISPLAY is set to.
    let name: String
    private let server: RunningProgram

    /// Starts a display under a number that is free.
    init() async throws {
        // Without -noreset it begins anew when the last program leaves, and turns away who comes just then.
        server = try RunningProgram(
            CommandLineTool("Xvfb").path!,
            ["-noreset", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
            environment: ["PATH": "/usr/bin:/bin"])
        name = ":" + (try await server.firstLine())
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// What programs on it are started with.
    var environment: [String: String] {
        [
            "DISPLAY": name, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "none", "NO_AT_BRIDGE": "1",
            "PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory(), "LC_ALL": "C.UTF-8",
            // What one test chooses, another must not find.
            "XDG_STATE_HOME": "/dev/null",
        ]
    }

    /// Runs a tool on it and gives what it writes.
    @discardableResult
    func run(_ tool: String, _ arguments: [String]) async throws -> [UInt8] {
        let program = try RunningProgram(CommandLineTool(tool).path!, arguments, environment: environment)
        guard await program.status() == 0 else { throw Failure("\(tool) \(arguments): \(program.errors)") }
        return program.output
    }

    // MARK: What is on it

    func capture() async throws -> Bitmap {
        let file = try await run("import", ["-window", "root", "-depth", "8", "png:-"])
        return try ImageSource.decode(file).bitmap.converted(to: .rgba8, alpha: AlphaMode.none)
    }

    /// What is on it as soon as that is as `condition` says, while `program` runs.
    func capture(
        _ what: Comment, of program: RunningProgram, sourceLocation: SourceLocation,
        until condition: (Bitmap) -> Bool
    ) async throws -> Bitmap {
        var bitmap = try await capture()
        if condition(bitmap) { return bitmap }
        let isSeen = try await eventually(every: .milliseconds(50)) {
            guard program.isRunning else { throw Failure("the program ended: \(program.errors)") }
            bitmap = try await capture()
            return condition(bitmap)
        }
        #expect(isSeen, "never seen: \(what)", sourceLocation: sourceLocation)
        return bitmap
    }

    /// What is on it when nothing has moved there for a while.
    func settledCapture() async throws -> Bitmap {
        var last = try await capture().tightBytes()
        while true {
            // A while in which nothing moves can only be waited for.
            try await Task.sleep(for: .milliseconds(250))
            let bitmap = try await capture()
            let bytes = bitmap.tightBytes()
            if bytes == last { return bitmap }
            last = bytes
        }
    }
}
