internal import Platform

/// One look through folders, within limits.
final class FolderWalk {
    private let folders: PictureFolders
    private let limits: FolderLimits
    private let end: ContinuousClock.Instant
    private var entryCount = 0
    private(set) var contents = FolderContents()

    /// A folder beneath one that is served.
    struct Place {
        /// Its path beneath the folder that is served.
        let path: String
        /// Its path from the top, as identifiers have it.
        let identifier: String
        /// How many folders above it were looked through.
        let depth: Int

        /// The one called `name` in it.
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

    /// Whether a limit was reached that ends the walk.
    private(set) var isOver = false

    /// Leaves something out.
    func giveUp() { contents.isComplete = false }

    /// Takes what is in a folder.
    /// - Parameter search: What names have to contain; nil to take all.
    /// - Returns: The folders in it that aren't links.
    /// - Throws: 404 where there is no such folder.
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
            // Hidden ones, and those that can't be in an identifier, are left out.
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
