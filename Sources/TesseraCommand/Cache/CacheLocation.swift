internal import ArgumentParser
internal import ImageLoading

/// The folder of a cache, as it is named on the command line.
struct CacheLocation: ParsableArguments {
    @Argument(help: ArgumentHelp("The cache's folder.", valueName: "dir"), completion: .directory)
    var path: String

    /// The folder.
    /// - Throws: `CommandFailure` where there is no cache.
    func folder() throws -> DataCacheFolder {
        guard FileSystem.isFolder(path) else { throw CommandFailure("\(path) isn't a folder") }
        let folder = DataCacheFolder(path: path)
        guard folder.isCache else {
            throw CommandFailure(
                "\(path) isn't a cache of Tessera's: it has no file CACHEDIR.TAG that says so. Name the folder itself.")
        }
        return folder
    }
}
