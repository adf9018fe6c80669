#if SVG
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension SVGWorker {
    /// Where the program is; nil when it isn't installed. Looked for once.
    static let path: String? = candidates.first { access($0, X_OK) == 0 }

    private static var candidates: [String] {
        var paths: [String] = []
        if let named = getenv("TESSERA_SVG_WORKER") { paths.append(String(cString: named)) }
        if let folder = ownFolder {
            paths += ["\(folder)/tessera-svg", "\(folder)/../libexec/tessera/tessera-svg"]
        }
        return paths
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
#endif
