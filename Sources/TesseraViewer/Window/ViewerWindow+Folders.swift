#if GTK
internal import ImageViews
internal import ImageViewsGTK

extension ViewerWindow {
    /// Watches the folders that the images come from.
    func watchFolders() {
        refreshing?.cancel()
        monitors = folders.compactMap { folder in
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

    /// Reads the folders again. The current image stays; if it was removed, the next one is shown.
    private func refresh() {
        // The one file that was named may be gone, and its folder's others stay.
        let list = ItemList(names.count == 1 && store.items.count > 1 ? folders : names)
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
}
#endif
