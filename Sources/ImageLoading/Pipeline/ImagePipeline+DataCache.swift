#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension ImagePipeline.Configuration {
    /// The standard with a cache for bytes in the user's cache folder: `$XDG_CACHE_HOME` or `~/.cache`, in it `name`.
    ///
    /// Where there is neither, nothing is kept on disk.
    /// - Parameters:
    ///   - name: The folder's name; nil for the program's.
    ///   - byteLimit: How many bytes are kept at most.
    public static func withDataCache(name: String? = nil, byteLimit: Int = 150 << 20) -> Self {
        var configuration = Self()
        let environment = ProcessInfo.processInfo.environment
        let folder =
            environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.cache" : nil }
        if let folder {
            let name = name ?? ProcessInfo.processInfo.processName
            configuration.dataCache = DataCache(directory: "\(folder)/\(name)/images", byteLimit: byteLimit)
        }
        return configuration
    }
}
