import Foundation

/// The status and the output of a program that has ended.
package struct ProgramOutcome: Sendable {
    /// The exit status; the signal's number, negative, where a signal ended it.
    package let status: Int32
    package let output: [UInt8]
    package let errors: String

    package var text: String { String(decoding: output, as: UTF8.self) }

    /// Runs the program at `path` in `folder` and waits for its end.
    /// - Parameters:
    ///   - input: The bytes of its standard input.
    ///   - environment: Variables added to those of the tests.
    package init(
        of path: String, _ arguments: [String], in folder: TemporaryFolder, input: [UInt8] = [],
        environment: [String: String] = [:]
    ) throws {
        // Files rather than pipes, so that neither side ever waits for the other.
        let names = try TemporaryFolder()
        func handle(_ name: String) throws -> FileHandle {
            try names.write([], to: name)
            return try FileHandle(forWritingTo: URL(fileURLWithPath: names.file(name)))
        }
        try names.write(input, to: "input")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: names.file("input")))
        process.standardOutput = try handle("output")
        process.standardError = try handle("errors")
        try process.run()
        process.waitUntilExit()
        status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        output = try names.read("output")
        errors = String(decoding: try names.read("errors"), as: UTF8.self)
    }
}
