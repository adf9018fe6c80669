internal import ImageLoading

extension PictureFolders {
    /// Lists a folder's subfolders and images (by extension), without hidden entries and links that lead outside.
    /// - Parameters:
    ///   - folder: The decoded path from the top; empty for the top, which lists the served folders if several.
    ///   - limits: The most work; `isComplete` is false if it didn't suffice.
    /// - Throws: 404 if there is no such folder.
    /// - Complexity: One status lookup for each image and each link.
    package func list(
        _ folder: String, limits: FolderLimits = .standard
    ) throws(RequestFailure) -> FolderContents {
        try walk(folder, limits, search: nil)
    }

    /// Finds the folders and images below a folder whose names contain `text`, ignoring case, nearest levels first.
    /// Links to folders aren't followed.
    /// - Parameters:
    ///   - folder: As for `list`.
    ///   - limits: The most work; `isComplete` is false if it didn't suffice.
    /// - Throws: 404 if there is no such folder.
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
                // A served folder that is currently missing has no results.
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

    /// Lists a folder or, in a search, traverses it breadth first.
    private func look(
        _ served: ServedFolder, _ start: FolderWalk.Place, _ limits: FolderLimits, _ search: NameSearch?,
        _ walk: FolderWalk
    ) throws(RequestFailure) {
        #if HTTP
        if let bucket = served.bucket, let buckets {
            let key = bucket.key + (start.path.isEmpty ? "" : start.path + "/")
            guard let address = try? S3Address(bucket: bucket.bucket, key: key) else { throw Self.noSuchFolder }
            walk.add(try buckets.list(address, start.identifier, limits, search: search))
            return
        }
        #endif
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
                // A folder that was removed in the meantime, or can't be read, has no results.
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
