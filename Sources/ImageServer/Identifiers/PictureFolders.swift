package import ImageFormats
package import ImageLoading
internal import Raster

/// Resolves identifiers to files in the served folders. Files outside them, hidden files and files without an image's
/// extension are treated as missing.
///
/// With one folder, identifiers are paths below it. With several, an identifier begins with the folder's name. The
/// folder is opened for each request, so a replacement is noticed. Relative links that stay within the folder are
/// followed; all others are refused.
package final class PictureFolders: Sendable {
    let folders: [ServedFolder]
    /// The formats of the served extensions.
    let formats: [String: ImageFormat]
    private let goesByStep: Bool
    #if HTTP
    /// The images in buckets among the folders; nil if none is one.
    let buckets: BucketPictures?
    #endif

    /// The extension of a single-file pyramid, which is served like an image.
    static let pyramidExtension = "pyramid"

    /// Serves the folders at `paths`.
    /// - Parameters:
    ///   - codecs: Determine the served files: those with an extension of a format that they decode.
    ///   - store: The store of the buckets; nil for the one that the environment names.
    ///   - goesByStep: Whether to walk paths one name at a time, as on systems that can't confine resolution to a
    ///     folder; no links are followed then.
    /// - Throws: `inputOutput` for a path that isn't a readable folder.
    package init(
        _ paths: [String], codecs: CodecRegistry = .default, store: S3Configuration? = nil, goesByStep: Bool = false
    ) throws(ImageError) {
        folders = try ServedFolder.all(paths)
        self.goesByStep = goesByStep
        let formats = codecs.decodableFormats.flatMap { format in
            format.filenameExtensions.map { ($0, format) }
        }
        self.formats = Dictionary(formats, uniquingKeysWith: { first, _ in first })
        #if HTTP
        buckets = folders.contains { $0.bucket != nil } ? BucketPictures(store, formats: self.formats) : nil
        #else
        guard !folders.contains(where: { $0.bucket != nil }) else {
            throw ImageError(.unsupported, "buckets can't be served: the program was built without the trait HTTP")
        }
        #endif
    }

    /// Whether files with this extension, in lower case, are served.
    func isPicture(_ filenameExtension: String?) -> Bool {
        guard let filenameExtension else { return false }
        return formats[filenameExtension] != nil || filenameExtension == Self.pyramidExtension
    }

    /// Opens an image's file. Without an extension, opens the only image with that name and any extension, in lower or
    /// upper case.
    /// - Throws: 404 for a file that is missing, isn't regular, has no image's extension, lies outside the folder or
    ///   can't be read, and for a name without extension that matches several images; 503 if too many files are open.
    /// - Complexity: One lookup; for a name without extension, two for each known extension.
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
                // The same file by two names, through links or on a case-insensitive file system, is one image.
                if let found, (found.status?.device, found.status?.inode) != (file.status?.device, file.status?.inode) {
                    throw RequestFailure(
                        404, "several images have this name; add the extension of one")
                }
                // The first by name, so that the result doesn't depend on the order of the dictionary.
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
        // From here on, the object closes the file.
        guard let file = OpenedFile(number, identifier: identifier), file.status?.isRegular == true
        else { throw .noSuchPicture }
        return file
    }

    /// Splits a path into its served folder and the path beneath it, which is empty for the folder itself.
    func place(of path: String) throws(RequestFailure) -> (folder: ServedFolder, path: String) {
        guard folders.count != 1 else { return (folders[0], path) }
        let name = path.utf8.prefix { $0 != UInt8(ascii: "/") }
        guard let folder = folders.first(where: { $0.name.utf8.elementsEqual(name) }) else { throw .noSuchPicture }
        return (folder, String(Substring(path.utf8.dropFirst(name.count + 1))))
    }

    /// The address of an image in a bucket; nil for one in a folder.
    /// - Throws: 404 for a name outside of all folders, and for one without an image's extension.
    func address(of identifier: PictureIdentifier) throws(RequestFailure) -> S3Address? {
        let (folder, path) = try place(of: identifier.path)
        guard let bucket = folder.bucket else { return nil }
        guard !path.isEmpty, isPicture(identifier.filenameExtension),
            let address = try? S3Address(bucket: bucket.bucket, key: bucket.key + path)
        else { throw .noSuchPicture }
        return address
    }

    /// Opens a served folder for lookups.
    func handle(_ folder: ServedFolder) throws(RequestFailure) -> FolderHandle {
        try FolderHandle(path: folder.path, goesByStep: goesByStep)
    }
}
