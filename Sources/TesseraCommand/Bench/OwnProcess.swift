internal import Platform

/// This program, started again.
enum OwnProcess {
    /// Runs the program with `arguments` and gives what it writes to standard output.
    /// - Throws: `CommandFailure` when it can't be started or doesn't succeed.
    static func output(_ arguments: [String]) throws(CommandFailure) -> String {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw failure(errno) }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        defer { close(readEnd) }

        let started = Result { () throws(CommandFailure) in
            try start(arguments, output: writeEnd, closing: readEnd)
        }
        // Only the child may keep this end open, or reading wouldn't see the end.
        close(writeEnd)
        let identifier = try started.get()
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(readEnd, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            output += buffer[..<count]
        }
        var status: CInt = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else { throw CommandFailure("\(arguments.joined(separator: " ")) failed") }
        return String(decoding: output, as: UTF8.self)
    }

    private static func start(
        _ arguments: [String], output: CInt, closing other: CInt
    ) throws(CommandFailure) -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addclose(&actions, output)
        posix_spawn_file_actions_addclose(&actions, other)

        #if os(Linux)
        let program = "/proc/self/exe"
        #else
        let program = CommandLine.arguments[0]
        #endif
        // Copies that live until the call is over, with the null pointer that ends the list.
        let strings = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var identifier = pid_t()
        let code = posix_spawnp(&identifier, program, &actions, nil, strings, environ)
        guard code == 0 else { throw failure(code) }
        return identifier
    }

    private static func failure(_ code: CInt) -> CommandFailure {
        CommandFailure("the program can't start itself again: \(String(cString: strerror(code)))")
    }
}
