/// A process that this one has started. It is killed (SIGKILL) and waited for when this value is destroyed.
package struct ChildProcess: ~Copyable {
    /// How a process ended.
    package enum Ending: Hashable, Sendable {
        /// It exited with this status.
        case exited(CInt)
        /// By this signal.
        case signalled(CInt)

        init(_ status: CInt) {
            let signal = status & 0x7F
            self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
        }
    }

    /// The process's number.
    package let number: pid_t
    private var isReaped = false

    /// Starts the program at `path` with default actions for all signals and none blocked, whatever this thread has set.
    /// - Parameters:
    ///   - arguments: Its arguments, after the program's name.
    ///   - environment: `NAME=value` each; nil for this process's own.
    ///   - files: Open files of this process, and the descriptors under which the program gets them, at most 9. Everything
    ///     opened as close-on-exec, as all files in this package are, isn't inherited.
    ///   - silent: Descriptors redirected to /dev/null.
    package init(
        _ path: String, arguments: [String], environment: [String]? = nil, files: [(file: CInt, number: CInt)],
        silent: [CInt] = []
    ) throws(SystemError) {
        // From numbers that aren't among the targets.
        let away = files.map { fcntl($0.file, F_DUPFD_CLOEXEC, 10) }
        defer { for number in away where number >= 0 { close(number) } }
        guard away.allSatisfy({ $0 >= 0 }) else { throw .last }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (from, to) in zip(away, files) { posix_spawn_file_actions_adddup2(&actions, from, to.number) }
        for number in silent { posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, CShort(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var process = pid_t()
        let words = CStrings([path] + arguments)
        let variables = CStrings(environment ?? [])
        let status = words.withPointers { words in
            variables.withPointers { variables in
                posix_spawn(
                    &process, path, &actions, &attributes, words,
                    environment == nil ? UnsafePointer(environ) : variables)
            }
        }
        guard status == 0 else { throw SystemError(status) }
        number = process
    }

    deinit {
        guard !isReaped else { return }
        kill(number, SIGKILL)
        _ = Self.reap(number)
    }

    /// Kills it without waiting.
    package borrowing func end() {
        // Once waited for, the number may belong to another process.
        if !isReaped { kill(number, SIGKILL) }
    }

    /// Waits until it has ended. Call it once.
    package mutating func wait() -> Ending {
        precondition(!isReaped)
        isReaped = true
        return Ending(Self.reap(number))
    }

    /// Waits up to `seconds`, and returns whether it has ended; `wait()` still returns how.
    package borrowing func waitForEnd(centiseconds: Int) -> Bool {
        var information = siginfo_t()
        for _ in 0..<centiseconds {
            information.si_signo = 0
            let result = waitid(P_PID, id_t(number), &information, WEXITED | WNOHANG | WNOWAIT)
            if result != 0 || information.si_signo != 0 { return true }
            usleep(10_000)
        }
        return false
    }

    private static func reap(_ number: pid_t) -> CInt {
        var status: CInt = 0
        while waitpid(number, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
