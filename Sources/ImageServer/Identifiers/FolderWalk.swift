internal import Platform

/// A single traversal of folders, within limits.
final class FolderWalk {
    private let folders: PictureFolders
    private let limits: FolderLimits
    private let end: ContinuousClock.Instant
    private var entryCount = 0
    private(set) var contents = FolderContents()

    /// A position in the traversal: a folder at or below a served folder.
    struct Place {
        /// Its path below the served folder; empty for the served folder itself.
        let path: String
        /// Its path from the top, as identifiers contain it.
        let identifier: String
        /// The number of levels below the start of the traversal.
        let depth: Int

        /// The folder `name` inside this one.
        func inner(_ name: String) -> Place {
            Place(path: Self.join(path, name), identifier: Self.join(identifier, name), depth: depth + 1)
        }

        private static func join(_ folder: String, _ name: String) -> String {
            folder.isEmpty ? name : folder + "/" + name
        }
    }

    init(_ folders: PictureFolders, _ limits: FolderLimits) {
        self.folders = folders
        self.limits = limits
        end = .now + limits.duration
    }

    /// Whether a limit has ended the traversal.
    private(set) var isOver = false

    /// Adds what was found elsewhere.
    func add(_ other: FolderContents) {
        contents.folders += other.folders
        contents.pictures += other.pictures
        contents.isComplete = contents.isComplete && other.isComplete
    }

    /// Records that something was skipped.
    func giveUp() { contents.isComplete = false }

    /// Adds a folder's entries to `contents`.
    /// - Parameter search: The text that names must contain; nil to add every entry.
    /// - Returns: The subfolders, without symbolic links.
    /// - Throws: 404 if there is no such folder.
    func take(
        _ place: Place, in handle: borrowing FolderHandle, search: NameSearch?
    ) throws(RequestFailure) -> [Place] {
        let number = try handle.descriptor(of: place.path.isEmpty ? "." : place.path, for: .listing)
        var inner: [Place] = []
        FolderListing.forEach(inOpen: number) { [self] listed in
            entryCount += 1
            guard entryCount <= limits.entryCount,
                search == nil || contents.pictures.count + contents.folders.count < limits.resultCount,
                entryCount % 256 != 0 || ContinuousClock.now < end
            else {
                contents.isComplete = false
                isOver = true
                return false
            }
            // Hidden entries, and names that can't be part of an identifier, are skipped.
            guard let name = String(validatingCString: listed.cName), PictureIdentifier.isPath(name) else {
                return true
            }
            let isWanted = search?.matches(name) ?? true
            let filenameExtension = PictureIdentifier.filenameExtension(of: name)
            let isPicture = folders.isPicture(filenameExtension)
            var known = listed.kind == nil ? listed.status() : nil
            let kind = listed.kind ?? known?.kind
            if kind == .folder { inner.append(place.inner(name)) }
            guard isWanted else { return true }
            let target = place.inner(name)
            if kind == .link {
                known = handle.status(of: target.path)
            } else if kind == .regular, isPicture, known == nil {
                known = listed.status()
            }
            if kind == .folder || known?.kind == .folder {
                contents.folders.append((name, target.identifier))
            } else if isPicture, let known, known.kind == .regular,
                let identifier = try? PictureIdentifier(decoded: target.identifier)
            {
                contents.pictures.append(
                    ListedPicture(
                        identifier: identifier, byteCount: known.byteCount, modificationTime: known.modificationTime,
                        format: filenameExtension.flatMap { folders.formats[$0] },
                        naturalName: NaturalName(name)))
            }
            return true
        }
        return inner
    }
}
