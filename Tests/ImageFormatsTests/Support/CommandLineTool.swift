import Foundation

/// A program of another project's, as an independent word on what a file holds.
struct CommandLineTool: Sendable {
    /// Where it is; nil where it isn't installed.
    let path: String?

    /// Looks for `name` where the system's packages put programs.
    init(_ name: String) {
        path = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    var isInstalled: Bool { path != nil }

    /// Runs it without a sound, and says whether it succeeded.
    func run(_ arguments: [String]) throws -> Bool {
        guard let path else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
