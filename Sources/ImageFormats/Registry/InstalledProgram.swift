internal import Platform

/// The programs that this one has do some of its work.
package enum InstalledProgram {
    /// Where the program `name` is: where the environment's `variable` says, beside the program that runs, or in
    /// `../libexec/tessera` from there; nil when it isn't installed.
    package static func path(_ name: String, variable: String) -> String? {
        var paths: [String] = []
        if let named = getenv(variable) { paths.append(String(cString: named)) }
        if let folder = OwnProgram.folder { paths += ["\(folder)/\(name)", "\(folder)/../libexec/tessera/\(name)"] }
        return paths.first { access($0, X_OK) == 0 }
    }
}
