internal import Tessera

/// The files that names stand for: files, and the pictures in folders.
struct FileList {
    /// The files, in the order of the names.
    private(set) var paths: [String] = []
    /// The folders that couldn't be read.
    private(set) var failures: [InputFailure] = []

    /// - Parameter output: A file that isn't one of them, though it may be in a folder: the result of an earlier run.
    init(_ names: some Sequence<String>, isRecursive: Bool, excluding output: String, registry: CodecRegistry) {
        for name in names {
            guard FileSystem.isFolder(name) else {
                paths.append(name)
                continue
            }
            let found = FolderPictures(in: name, target: nil, isRecursive: isRecursive, registry: registry)
            paths += found.pictures.map(\.path)
            failures += found.failures
        }
        let earlier = FileSystem.identity(output)
        paths.removeAll { earlier != nil && FileSystem.identity($0) == earlier }
    }
}
