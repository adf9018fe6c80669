extension PictureFolders {
    /// What is in a folder: pictures by their extension, and folders, without what is hidden and what leads out.
    /// - Parameters:
    ///   - folder: Its path from the top, decoded; empty for the top, where of several folders each is one.
    ///   - limits: How much is read; the contents say whether it was enough.
    /// - Throws: 404 where there is no such folder.
    /// - Complexity: A look at each picture in it and at each link.
    package func list(
        _ folder: String, limits: FolderLimits = .standard
    ) throws(RequestFailure) -> FolderContents {
        try walk(folder, limits, search: nil)
    }

    /// The folders and pictures below a folder whose names contain `text`, capital and small letters alike; near ones are
    /// found first. Links to folders aren't followed.
    /// - Parameters:
    ///   - folder: As for `list`.
    ///   - limits: How much is read; the contents say whether it was enough.
    /// - Throws: 404 where there is no such folder.
    package func search(
        _ text: String, in folder: String, limits: FolderLimits = .standard
    ) throws(RequestFailure) -> FolderContents {
        try walk(folder, limits, search: NameSearch(text))
    }

    private func walk(
        _ folder: String, _ limits: FolderLimits, search: NameSearch?
    ) throws(RequestFailure) -> FolderContents {
        let walk = FolderWalk(self, limits)
        if folder.isEmpty, folders.count != 1 {
            guard search != nil else {
                return FolderContents(folders: folders.map { ($0.name, $0.name) }.sorted(by: Self.precedes))
            }
            for served in folders where !walk.isOver {
                // One that isn't there at the moment has nothing to be found.
                try? look(served, FolderWalk.Place(path: "", identifier: served.name, depth: 0), limits, search, walk)
            }
        } else {
            guard folder.isEmpty || PictureIdentifier.isPath(folder) else { throw Self.noSuchFolder }
            do throws(RequestFailure) {
                let (served, path) = try place(of: folder)
                try look(served, FolderWalk.Place(path: path, identifier: folder, depth: 0), limits, search, walk)
            } catch {
                throw error.status == 404 ? Self.noSuchFolder : error
            }
        }
        var contents = walk.contents
        contents.folders.sort(by: Self.precedes)
        return contents
    }

    /// Looks through a folder, and where there is something to be searched for through those in it.
    private func look(
        _ served: ServedFolder, _ start: FolderWalk.Place, _ limits: FolderLimits, _ search: NameSearch?,
        _ walk: FolderWalk
    ) throws(RequestFailure) {
        let handle = try handle(served)
        var places = try walk.take(start, in: handle, search: search)
        guard search != nil else { return }
        var next = 0
        while next < places.count, !walk.isOver {
            let place = places[next]
            next += 1
            if place.depth > limits.depth {
                walk.giveUp()
            } else {
                // One that was removed meanwhile, or may not be read, has nothing to be found.
                places += (try? walk.take(place, in: handle, search: search)) ?? []
            }
        }
    }

    private static let noSuchFolder = RequestFailure(404, "there is no such folder")

    private static func precedes(_ a: (name: String, path: String), _ b: (name: String, path: String)) -> Bool {
        let (first, second) = (NaturalName(a.name), NaturalName(b.name))
        return first == second ? a.path.utf8.lexicographicallyPrecedes(b.path.utf8) : first < second
    }
}
