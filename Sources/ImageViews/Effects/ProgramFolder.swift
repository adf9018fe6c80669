#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Where the program that runs is.
enum ProgramFolder {
    /// The folder's path, without a slash at its end; the current folder where the system doesn't tell.
    static var path: String {
        guard let path = realpath("/proc/self/exe", nil) ?? realpath(CommandLine.arguments.first ?? "", nil) else {
            return "."
        }
        defer { free(path) }
        return String(
            String(cString: path).split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .joined(separator: "/"))
    }
}
