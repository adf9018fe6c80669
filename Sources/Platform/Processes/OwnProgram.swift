/// The running program's file.
package enum OwnProgram {
    /// A path that opens and starts the program's file; on Linux this very file, even if its name now belongs to another. Nil
    /// if unknown.
    package static var file: String? {
        #if os(Linux) && !TESSERA_POSIX
        return "/proc/self/exe"
        #else
        return named
        #endif
    }

    /// The program's path, links followed; nil if unknown.
    package static var path: String? { file.flatMap(resolved) ?? named }

    /// The program's folder, without a trailing slash; nil if unknown.
    package static var folder: String? {
        path.map { path in
            path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        }
    }

    /// From the name the program was started by: a path, or a name to look up in PATH.
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
