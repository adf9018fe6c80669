package import ImageFormats
internal import Raster

/// The folders whose pictures are served, and nothing besides: what lies outside, what is hidden and what doesn't have a
/// picture's extension isn't there.
///
/// Of one folder, identifiers are the paths below it. Of several, the first name in an identifier is that of the folder.
/// A folder is opened anew each time, so that one which takes another's place is noticed. Relative links that stay
/// beneath the folder are followed, all others refused.
package final class PictureFolders: Sendable {
    let folders: [ServedFolder]
    /// What files with these extensions are.
    let formats: [String: ImageFormat]
    private let goesByStep: Bool

    /// The extension of a pyramid in one file, which is opened as a picture is.
    static let pyramidExtension = "pyramid"

    /// The folders at `paths`.
    /// - Parameters:
    ///   - codecs: Those by which pictures are decoded: other files aren't seen.
    ///   - goesByStep: Whether paths are walked as where the system can't resolve them beneath a folder: no
    ///     link is followed then.
    /// - Throws: `inputOutput` for a path where no folder can be read.
    package init(
        _ paths: [String], codecs: CodecRegistry = .default, goesByStep: Bool = false
    ) throws(ImageError) {
        folders = try ServedFolder.all(paths)
        self.goesByStep = goesByStep
        let formats = codecs.decodableFormats.flatMap { format in
            format.filenameExtensions.map { ($0, format) }
        }
        self.formats = Dictionary(formats, uniquingKeysWith: { first, _ in first })
    }

    /// Whether files with this extension are pictures.
    func isPicture(_ filenameExtension: String?) -> Bool {
        guard let filenameExtension else { return false }
        return formats[filenameExtension] != nil || filenameExtension == Self.pyramidExtension
    }

    /// Opens the file of a picture. Without an extension, that is the one picture that has the name with any.
    /// - Throws: 404 for what isn't there, isn't a regular file, has no picture's extension, lies outside of the folder,
    ///   may not be read, or is called without an extension where several pictures could be meant; 503 where too many
    ///   files are open.
    /// - Complexity: One look for an identifier with an extension, one for each known extension for others, however many
    ///   files there are.
    package func open(_ identifier: PictureIdentifier) throws(RequestFailure) -> OpenedFile {
        let (folder, path) = try place(of: identifier.path)
        guard !path.isEmpty else { throw .noSuchPicture }
        let handle = try handle(folder)
        if isPicture(identifier.filenameExtension) { return try open(identifier, path, in: handle) }
        var found: OpenedFile?
        for filenameExtension in formats.keys + [Self.pyramidExtension] {
            for ending in ["." + filenameExtension, "." + filenameExtension.uppercased()] {
                guard handle.status(of: path + ending)?.kind == .regular,
                    let whole = try? PictureIdentifier(decoded: identifier.path + ending)
                else { continue }
                let file = try open(whole, path + ending, in: handle)
                // The same file twice, by links or where case doesn't matter, is one picture.
                if let found, (found.status.device, found.status.inode) != (file.status.device, file.status.inode) {
                    throw RequestFailure(
                        404, "several pictures have this name; say which one by its extension")
                }
                // The first by name, so that the same one answers in every run.
                if found == nil || file.identifier.path < found!.identifier.path { found = file }
            }
        }
        guard let found else { throw .noSuchPicture }
        return found
    }

    private func open(
        _ identifier: PictureIdentifier, _ path: String, in handle: borrowing FolderHandle
    ) throws(RequestFailure) -> OpenedFile {
        let number = try handle.descriptor(of: path, for: .reading)
        // Closed with the object from here on.
        guard let file = OpenedFile(number, identifier: identifier), file.status.isRegular
        else { throw .noSuchPicture }
        return file
    }

    /// The folder that a path is in, and the path beneath it; the folder itself for an empty one.
    func place(of path: String) throws(RequestFailure) -> (folder: ServedFolder, path: String) {
        guard folders.count != 1 else { return (folders[0], path) }
        let name = path.utf8.prefix { $0 != UInt8(ascii: "/") }
        guard let folder = folders.first(where: { $0.name.utf8.elementsEqual(name) }) else { throw .noSuchPicture }
        return (folder, String(Substring(path.utf8.dropFirst(name.count + 1))))
    }

    /// Opens a folder that is served, to look for things in it.
    func handle(_ folder: ServedFolder) throws(RequestFailure) -> FolderHandle {
        try FolderHandle(path: folder.path, goesByStep: goesByStep)
    }
}
