import Foundation

/// A program of this package, which is built into the folder that the tests run in.
package struct BuiltProgram: Sendable {
    /// The folder of the test program and of every other product of the build.
    package static let folder: String = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: tests).deletingLastPathComponent().path
    }()

    package let path: String

    package init(_ name: String) { path = "\(Self.folder)/\(name)" }

    /// The program as a tool that a test can need.
    package var tool: CommandLineTool { CommandLineTool(path) }
}
