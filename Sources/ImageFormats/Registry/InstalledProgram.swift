internal import Platform

/// Finds the helper programs that do part of this process's work.
package enum InstalledProgram {
    /// Returns the path of the program `name`: the environment's `variable`, beside this program, or in
    /// `../libexec/tessera` relative to it; nil if none of them is executable.
    package static func path(_ name: String, variable: String) -> String? {
        var paths: [String] = []
        if let named = getenv(variable) { paths.append(String(cString: named)) }
        if let folder = OwnProgram.folder { paths += ["\(folder)/\(name)", "\(folder)/../libexec/tessera/\(name)"] }
        return paths.first { access($0, X_OK) == 0 }
    }
}
