#if GTK
internal import Essentials
internal import ImageFormats
internal import ImageViewsGTK
internal import Platform

/// The images of the command line or a file dialog, and the index of the first to show.
struct ItemList: Sendable {
    var items: [ViewerItem] = []
    var index = 0
    /// The paths of the folders whose images are all in the list, and of their subfolders if those are included.
    private(set) var folders: [String] = []

    /// The most folders that are walked into, so that a walk from / ends.
    private static let folderCount = 2000

    /// The images at `arguments`: files, folders and URLs. For a single file the list has all images in its folder.
    ///
    /// Images of a folder are sorted; files stay in the order in which they are named, unless `sortsAll`.
    init(_ arguments: [String], order: ItemOrder = ItemOrder(), sortsAll: Bool = false, subfolders: Bool = false) {
        for argument in arguments {
            guard let url = URL(pathOrAddress: argument) else { continue }
            guard url.isFileURL, Self.isFolder(url) else {
                items.append(ViewerItem(url: url))
                continue
            }
            let found = pictures(in: url.absoluteURL, order, subfolders)
            items += found
        }
        if arguments.count == 1, folders.isEmpty, items.count == 1, let path = items[0].path {
            let name = items[0].name
            let siblings = pictures(in: items[0].url.absoluteURL.deletingLastPathComponent(), order, subfolders)
            guard let index = siblings.firstIndex(where: { $0.path == path || $0.name == name }) else { return }
            items = siblings
            self.index = index
        } else if sortsAll {
            items = order.sorted(items)
        }
    }

    /// The images in a folder.
    private mutating func pictures(in folder: URL, _ order: ItemOrder, _ subfolders: Bool) -> [ViewerItem] {
        var found: [ViewerItem] = []
        var waiting = [folder]
        while let next = waiting.popLast(), folders.count < Self.folderCount {
            let path = next.path(percentEncoded: false)
            folders.append(path)
            FolderListing.forEach(in: path) { entry in
                let name = entry.name
                if name.hasPrefix(".") { return }
                // A link to a folder might lead back up.
                if subfolders, (entry.kind ?? entry.status()?.kind) == .folder {
                    return waiting.append(next.appending(path: name, directoryHint: .isDirectory))
                }
                guard name.split(separator: ".").last.flatMap({ ImageFormat(filenameExtension: String($0)) }) != nil
                else { return }
                found.append(ViewerItem(url: next.appending(path: name, directoryHint: .notDirectory)))
            }
        }
        return order.sorted(found)
    }

    private static func isFolder(_ url: URL) -> Bool {
        FileStatus(path: url.path(percentEncoded: false))?.isFolder ?? false
    }
}
#endif
