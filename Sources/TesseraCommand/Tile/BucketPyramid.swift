internal import ImageFormats
internal import ImagePyramid
internal import Platform
internal import Tessera

/// A pyramid that is built in a temporary folder and then written to a bucket, its document last.
struct BucketPyramid: ~Copyable {
    /// The entry with its output in the temporary folder.
    let entry: TileList.Entry
    private let folder: TemporaryFolder
    private let target: FilePath

    /// - Parameter overwrites: Whether existing objects may be replaced.
    /// - Throws: `inputOutput` if there is a pyramid of that name and it mustn't be replaced.
    init(_ entry: TileList.Entry, overwrites: Bool) throws(ImageError) {
        target = FilePath(entry.output)
        if !overwrites {
            let places = [entry.output, entry.output + ".dzi"]
            for place in places where FileSystem.isRegularFile(place) { throw EncodedOutput.exists(place) }
            for place in [entry.output, entry.output + "_files"] where try !BucketFiles.entries(in: place).isEmpty {
                throw EncodedOutput.exists(place + "/")
            }
        }
        folder = try TemporaryFolder()
        self.entry = TileList.Entry(
            input: entry.input, output: folder.file(target.name), layout: entry.layout,
            isZipped: entry.isZipped)
    }

    /// Writes the files to the bucket: those in folders first, so that a reader who finds the document finds the tiles.
    func write(overwrites: Bool) throws(ImageError) {
        let files = try Self.files(in: folder.path, depth: 0).sorted { ($0.depth, $1.path) > ($1.depth, $0.path) }
        let inner = files.filter { $0.depth > files.map(\.depth).min() ?? 0 }
        try BucketFiles.write(
            inner.map { ($0.path, address(of: $0.path)) }, overwrites: overwrites)
        try BucketFiles.write(
            files.dropFirst(inner.count).map { ($0.path, address(of: $0.path)) }, overwrites: overwrites)
    }

    private func address(of path: String) -> String {
        FilePath(String(path.dropFirst(folder.path.count + 1)), in: target.folder).text
    }

    private static func files(in folder: String, depth: Int) throws(ImageError) -> [(path: String, depth: Int)] {
        var files: [(path: String, depth: Int)] = []
        for entry in try FileSystem.entries(in: folder) {
            let path = FilePath(entry.name, in: folder).text
            if entry.isFolder {
                files += try Self.files(in: path, depth: depth + 1)
            } else {
                files.append((path, depth))
            }
        }
        return files
    }
}
