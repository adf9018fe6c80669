import Foundation
import Synchronization

/// A program that is running, with its output in files.
final class RunningProgram: Sendable {
    private let process: Mutex<Process>
    private let folder: String

    /// Starts the program at `path` with these variables and no others.
    init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        folder = NSTemporaryDirectory() + "tessera-program-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        for name in ["output", "errors"] {
            try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(folder)/output"))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(folder)/errors"))
        // Threads of a pool keep signals off, and programs begin with what their parent's thread does: with none off, they
        // can be ended.
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
        self.process = Mutex(process)
    }

    deinit {
        end()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var isRunning: Bool { process.withLock { $0.isRunning } }
    var output: [UInt8] { [UInt8]((try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/output"))) ?? Data()) }
    var errors: String {
        String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/errors"))) ?? Data(), as: UTF8.self)
    }

    /// Ends it, unless it has ended.
    func end() { process.withLock { if $0.isRunning { $0.terminate() } } }

    /// Its status when it has ended, the signal's number below 0; nil when it hasn't after `limit`.
    func status(within limit: Duration = .seconds(30)) async -> Int32? {
        let start = ContinuousClock.now
        while isRunning {
            guard ContinuousClock.now - start < limit else { return nil }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return process.withLock { $0.terminationReason == .exit ? $0.terminationStatus : -$0.terminationStatus }
    }
}
