internal import Platform

/// Another program of the package's.
struct SisterProgram {
    let path: String

    /// Finds the program called `name` beside this one, or in PATH.
    /// - Throws: `CommandFailure` where there is none.
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

    /// Has this process go on as that program. Returns why it didn't.
    func become(_ arguments: [String]) -> CommandFailure {
        // Copies that live until the call is over, with the null pointer that ends the list.
        let strings = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        execv(path, strings)
        return CommandFailure("\(path) can't be run: \(String(cString: strerror(errno)))")
    }
}
