internal import Platform

/// Another program of this package.
struct SisterProgram {
    let path: String

    /// Finds the program called `name` beside this one or in PATH.
    /// - Throws: `CommandFailure` if it isn't installed.
    init(_ name: String) throws(CommandFailure) {
        let search = getenv("PATH").map { String(cString: $0) } ?? ""
        let folders = [OwnProgram.folder].compactMap { $0 } + search.split(separator: ":").map(String.init)
        let path = folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 && !FileSystem.isFolder($0) }
        guard let path else {
            throw CommandFailure(
                """
                \(name) is neither beside this program nor in PATH. Build it with GTK 4's files (Debian: \
                libgtk-4-dev): swift build -c release --product \(name) --traits defaults,GTK
                """)
        }
        self.path = path
    }

    /// Replaces this process by that program; returns only if that fails.
    func become(_ arguments: [String]) -> CommandFailure {
        // Copies that live until the call returns, with a terminating null pointer.
        let strings = ([path] + arguments).map { strdup($0.native) } + [nil]
        defer { for string in strings { free(string) } }
        // The mask is kept across execv, and threads of a pool block all signals.
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        execv(path, strings)
        let failure = errno
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return CommandFailure("\(path) can't be run: \(String(cString: strerror(failure)))")
    }
}
