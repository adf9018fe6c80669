internal import Tessera

/// The files in a folder whose extension is that of a decodable format.
struct FolderPictures {
    /// Each folder with the folder for its outputs; nil for the folder itself.
    private(set) var folders: [(path: String, target: String?)] = []
    /// Each file's name, the index of its folder, and an object's version if it is kept. Few of a long list's paths may be
    /// needed.
    private(set) var files: [(name: String, folder: Int, version: String?)] = []
    /// The folders that couldn't be read.
    private(set) var failures: [InputFailure] = []
    /// The folder for all outputs; nil if there is none yet.
    private let targetIdentity: FileSystem.Identity?
    /// Whether there is a decoder, by extension as it is written.
    private var canDecode: [String: Bool] = [:]

    /// Searches a folder, and with `isRecursive` its subfolders, whose outputs go to subfolders of `target`.
    /// - Parameter keepsVersion: Whether the version of the object with this path is kept.
    init(
        in folder: String, target: String?, isRecursive: Bool, registry: CodecRegistry,
        keepsVersion: (String) -> Bool = { _ in false }
    ) {
        targetIdentity = target.flatMap(FileSystem.identity)
        add(folder, target, isRecursive, registry, keepsVersion)
    }

    /// Each file with the folder for its output; nil for the file's own folder.
    var pictures: [(path: String, target: String?)] {
        files.map { (FilePath($0.name, in: folders[$0.folder].path).text, folders[$0.folder].target) }
    }

    private mutating func add(
        _ folder: String, _ target: String?, _ isRecursive: Bool, _ registry: CodecRegistry,
        _ keepsVersion: (String) -> Bool
    ) {
        let entries: [FileSystem.Entry]
        do throws(ImageError) {
            entries = try FileSystem.entries(in: folder)
        } catch {
            return failures.append(InputFailure(input: .file(folder), error: error))
        }
        let index = folders.count
        folders.append((folder, target))
        for entry in entries {
            let name = entry.name
            if entry.isFolder {
                let path = FilePath(name, in: folder).text
                // Skips the output folder of an earlier run.
                guard isRecursive, targetIdentity == nil || FileSystem.identity(path) != targetIdentity else {
                    continue
                }
                add(path, target.map { FilePath(name, in: $0).text }, true, registry, keepsVersion)
            } else if canDecode(FilePath(name).filenameExtension, registry) {
                files.append(
                    (name, index, entry.version.flatMap { keepsVersion(FilePath(name, in: folder).text) ? $0 : nil }))
            }
        }
    }

    private mutating func canDecode(_ filenameExtension: String, _ registry: CodecRegistry) -> Bool {
        if let known = canDecode[filenameExtension] { return known }
        let isKnown = registry.format(forFilenameExtension: filenameExtension).map(registry.canDecode) ?? false
        canDecode[filenameExtension] = isKnown
        return isKnown
    }
}
