import Foundation
package import Testing

/// A program of another project's, as an independent word on what a file holds.
package struct CommandLineTool: Sendable {
    package let name: String
    /// Where it is; nil where it isn't installed.
    package let path: String?

    /// Looks for `name` where the system's packages put programs, then in PATH; a path is taken as it is.
    package init(_ name: String) {
        self.name = name
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let paths = (["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"] + folders).map { "\($0)/\(name)" }
        path = (name.contains("/") ? [name] : paths).first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    package var isInstalled: Bool { path != nil }

    /// Runs it without a sound, and says whether it succeeded.
    @discardableResult
    package func run(_ arguments: [String]) throws -> Bool { try output(arguments) != nil }

    /// What it writes to its standard output; nil when it fails.
    /// - Parameters:
    ///   - input: The path of the file that is its standard input.
    ///   - successes: The statuses that aren't failures.
    package func output(_ arguments: [String], input: String? = nil, successes: [Int32] = [0]) throws -> [UInt8]? {
        guard let path else { return nil }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if let input { process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: input)) }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        return successes.contains(process.terminationStatus) ? bytes : nil
    }
}

extension CommandLineTool {
    /// The Python to use; TESSERA_PYTHON can name one.
    package static let python = CommandLineTool(ProcessInfo.processInfo.environment["TESSERA_PYTHON"] ?? "python3")
}

extension Trait where Self == ConditionTrait {
    /// Skips where one of `tools` isn't installed, and says so.
    package static func needs(_ tools: CommandLineTool...) -> Self {
        let missing = tools.filter { !$0.isInstalled }.map(\.name).joined(separator: ", ")
        return .enabled(if: missing.isEmpty, "not installed: \(missing)")
    }
}
