import Foundation
import TestSupport

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
}
