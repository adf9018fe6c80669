import Foundation
import TestSupport

/// The built program, run as people run it: as a process of its own.
struct Command {
    /// What a run left behind.
    struct Outcome {
        let status: Int32
        let output: [UInt8]
        let errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The program beside the tests.
    static let program: String = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("tessera").path
    }()

    /// Runs `tessera` with `arguments` in `folder`, with `input` as its standard input.
    static func run(_ arguments: String..., in folder: TemporaryFolder, input: [UInt8] = []) throws -> Outcome {
        try run(arguments, in: folder, input: input)
    }

    /// Runs `tessera`, or another program, with `arguments` in `folder`, with `input` as its standard input.
    /// - Parameter environment: What is added to that of the tests.
    static func run(
        _ arguments: [String], in folder: TemporaryFolder, input: [UInt8] = [], environment: [String: String] = [:],
        program: String = program
    ) throws -> Outcome {
        // Files rather than pipes, so that neither side ever waits for the other.
        let names = try TemporaryFolder()
        func handle(_ name: String) throws -> FileHandle {
            try names.write([], to: name)
            return try FileHandle(forWritingTo: URL(fileURLWithPath: names.file(name)))
        }
        try names.write(input, to: "input")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: names.file("input")))
        process.standardOutput = try handle("output")
        process.standardError = try handle("errors")
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            output: try names.read("output"), errors: String(decoding: try names.read("errors"), as: UTF8.self))
    }
}
