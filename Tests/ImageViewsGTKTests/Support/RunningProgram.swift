import Foundation
import Synchronization
import TestSupport

/// A program that is running, with its output in files.
final class RunningProgram: Sendable {
    private let process: Mutex<Process>
    /// What is written here is its standard input; nil where it has none.
    private let input: FileHandle?
    private let folder: String

    /// Starts the program at `path` with these variables and no others.
    init(_ path: String, _ arguments: [String], environment: [String: String], takesInput: Bool = false) throws {
        folder = NSTemporaryDirectory() + "tessera-program-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        if takesInput {
            let pipe = Pipe()
            process.standardInput = pipe
            input = pipe.fileHandleForWriting
        } else {
            process.standardInput = FileHandle.nullDevice
            input = nil
        }
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

    /// Writes a line to its standard input.
    func send(_ line: String) throws { try input?.write(contentsOf: Data("\(line)\n".utf8)) }

    /// The most memory that it has taken so far, in bytes; nil where the system doesn't say.
    var peakByteCount: Int? {
        let number = process.withLock { $0.processIdentifier }
        let status = (try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 << 10 }
    }

    /// Ends it, unless it has ended.
    func end() { process.withLock { if $0.isRunning { $0.terminate() } } }

    /// Sends it SIGINT, as Ctrl-C does.
    func interrupt() { process.withLock { if $0.isRunning { $0.interrupt() } } }

    /// The first line of its output, when there is one.
    func firstLine() async throws -> String {
        let hasLine = await eventually { output.contains(UInt8(ascii: "\n")) || !isRunning }
        guard hasLine, let end = output.firstIndex(of: UInt8(ascii: "\n")) else {
            throw Display.Failure("there is no output: \(errors)")
        }
        return String(decoding: output[..<end], as: UTF8.self)
    }

    /// Its status when it has ended, the signal's number below 0; nil when it hasn't after `limit`.
    func status(within limit: Duration = .seconds(300)) async -> Int32? {
        guard await eventually(within: limit, every: .milliseconds(10), { !isRunning }) else { return nil }
        return process.withLock { $0.terminationReason == .exit ? $0.terminationStatus : -$0.terminationStatus }
    }
}
