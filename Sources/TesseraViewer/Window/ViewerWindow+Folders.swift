#if GTK
internal import Essentials
internal import ImageViews
internal import ImageViewsGTK
internal import Platform

extension ViewerWindow {
    /// The most folders that are watched: each takes a watch of the system's, which has a limit for all programs.
    private static let watchedCount = 200

    /// Watches the folders that the images come from.
    func watchFolders() {
        refreshing?.cancel()
        monitors = folders.prefix(Self.watchedCount).compactMap { folder in
            FolderMonitor(path: folder) { [weak self] in self?.refreshSoon() }
        }
    }

    /// Changes often come in groups, so the list is read when they have ended.
    private func refreshSoon() {
        refreshing?.cancel()
        refreshing = Task { [weak self] in
            try? await Task.sleep(for: .milliseconds(200))
            guard !Task.isCancelled, let self, !isClosed else { return }
            refresh()
        }
    }

    /// Sorts the list, and shows the same image.
    func sort(_ change: (inout ItemOrder) -> Void) {
        change(&order)
        ViewerState.order = order
        isSorted = true
        refresh()
    }

    /// Lists the images in subfolders too, or no longer.
    func includeSubfolders(_ included: Bool) {
        includesSubfolders = included
        let names = names
        guard !names.isEmpty else { return }
        // A single file stands for its folder.
        let current = page?.item
        let list = ItemList(names, order: order, sortsAll: isSorted, subfolders: included)
        folders = list.folders
        watchFolders()
        _ = store.update(list.items)
        let index = current.flatMap { list.items.firstIndex(of: $0) } ?? list.index
        stage.setPages(list.items.count, index: index)
        strip.setCount(list.items.count, selection: index)
        stage.redraw()
        pageChanged()
    }

    /// Reads the folders again. The current image stays; if it was removed, the next one is shown.
    func refresh() {
        // The one file that was named may be gone, and its folder's others stay.
        let isGone = names.count == 1 && URL(pathOrAddress: names[0]).map { Self.isMissing($0) } ?? false
        var list = ItemList(
            isGone && !folders.isEmpty ? Array(folders.prefix(1)) : names, order: order, sortsAll: isSorted,
            subfolders: includesSubfolders)
        list.items.removeAll { item in item.path.map { hidden.contains($0) } ?? false }
        let (before, index) = (store.items, stage.pages.index)
        let changed = store.update(list.items)
        guard list.items != before || changed.contains(index) else { return }
        if list.items != before {
            let current = before.indices.contains(index) ? list.items.firstIndex(of: before[index]) : nil
            let kept = current ?? min(index, max(0, list.items.count - 1))
            stage.setPages(list.items.count, index: kept)
        }
        strip.setCount(list.items.count, selection: stage.pages.index)
        stage.redraw()
        pageChanged()
    }

    private static func isMissing(_ url: URL) -> Bool {
        url.isFileURL && FileStatus(path: url.path(percentEncoded: false)) == nil
    }
}
#endif
