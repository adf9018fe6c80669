/// The program that runs.
package enum OwnProgram {
    /// A path that opens and starts the program's file; on Linux this very file, whatever has taken its name since. Nil where
    /// the system doesn't tell.
    package static var file: String? {
        #if os(Linux) && !TESSERA_POSIX
        return "/proc/self/exe"
        #else
        return named
        #endif
    }

    /// Where the program is, links followed; nil where the system doesn't tell.
    package static var path: String? { file.flatMap(resolved) ?? named }

    /// The folder of the program, without a slash at its end; nil where the system doesn't tell.
    package static var folder: String? {
        path.map { path in
            path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        }
    }

    /// By what the program was started as: a path, or a name that was looked for in PATH.
    private static var named: String? {
        guard let name = CommandLine.arguments.first, !name.isEmpty, !name.utf8.contains(0) else { return nil }
        if name.utf8.contains(UInt8(ascii: "/")) { return resolved(name) }
        let search = getenv("PATH").map { String(cString: $0) } ?? ""
        let paths = search.split(separator: ":").map { "\($0)/\(name)" }
        return paths.first { access($0, X_OK) == 0 && FileStatus(path: $0)?.isRegular == true }.flatMap(resolved)
    }

    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
