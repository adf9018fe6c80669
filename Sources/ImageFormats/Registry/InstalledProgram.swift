internal import Platform

/// The programs that this one has do some of its work.
package enum InstalledProgram {
    /// Where the program `name` is: where the environment's `variable` says, beside the program that runs, or in
    /// `../libexec/tessera` from there; nil when it isn't installed.
    package static func path(_ name: String, variable: String) -> String? {
        var paths: [String] = []
        if let named = getenv(variable) { paths.append(String(cString: named)) }
        if let folder = ownFolder { paths += ["\(folder)/\(name)", "\(folder)/../libexec/tessera/\(name)"] }
        return paths.first { access($0, X_OK) == 0 }
    }

    /// The folder of the program that runs.
    private static var ownFolder: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(
            String(cString: path).split(separator: "/", omittingEmptySubsequences: false)
                .dropLast().joined(separator: "/"))
    }
}
