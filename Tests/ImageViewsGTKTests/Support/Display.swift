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
        var number = ""
        for _ in 0..<1000 where !number.hasSuffix("\n") {
            try await Task.sleep(for: .milliseconds(20))
            number = String(decoding: server.output, as: UTF8.self)
        }
        guard number.hasSuffix("\n") else { throw Failure("Xvfb doesn't begin: \(server.errors)") }
        name = ":" + number.dropLast()
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
        let start = ContinuousClock.now
        // Where much else is going on, forty seconds may be over with the first look.
        var lookCount = 1
        while !condition(bitmap) {
            guard program.isRunning else { throw Failure("the program ended: \(program.errors)") }
            guard ContinuousClock.now - start < .seconds(40) || lookCount < 100 else {
                Issue.record("never seen: \(what)", sourceLocation: sourceLocation)
                return bitmap
            }
            try await Task.sleep(for: .milliseconds(50))
            bitmap = try await capture()
            lookCount += 1
        }
        return bitmap
    }

    /// What is on it when nothing has moved there for a while.
    func settledCapture() async throws -> Bitmap {
        var last = try await capture().tightBytes()
        while true {
            try await Task.sleep(for: .milliseconds(250))
            let bitmap = try await capture()
            let bytes = bitmap.tightBytes()
            if bytes == last { return bitmap }
            last = bytes
        }
    }
}
