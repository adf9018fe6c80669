internal import Platform

/// Runs this program in another process.
enum OwnProcess {
    /// Runs the program with `arguments` and returns its standard output.
    /// - Throws: `CommandFailure` if it can't be started or fails.
    static func output(_ arguments: [String]) throws(CommandFailure) -> String {
        guard let program = OwnProgram.file else { throw failure(SystemError(ENOENT)) }
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure(.last) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let reading = FileDescriptor(ends[0], name: program, isOwned: true)
        // The write end stays open only in the child; otherwise reading would never reach the end.
        var process = try start(program, arguments, output: FileDescriptor(ends[1], name: program, isOwned: true))
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while let count = buffer.withUnsafeMutableBytes({ try? reading.read(into: $0) }), count > 0 {
            output += buffer[..<count]
        }
        guard process.wait() == .exited(0) else { throw CommandFailure("\(arguments.joined(separator: " ")) failed") }
        return String(decoding: output, as: UTF8.self)
    }

    private static func start(
        _ program: String, _ arguments: [String], output: consuming FileDescriptor
    ) throws(CommandFailure) -> ChildProcess {
        do throws(SystemError) {
            return try ChildProcess(program, arguments: arguments, files: [(output.number, STDOUT_FILENO)])
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: SystemError) -> CommandFailure {
        CommandFailure("the program can't start itself again: \(error)")
    }
}
