#if GTK
internal import Essentials
internal import ImageViewsGTK

/// The open pages: the current one and its neighbours, which are opened too unless they need much memory.
@MainActor
final class PageStore {
    private(set) var items: [ViewerItem] = []
    private var pages: [Int: ViewerPage] = [:]

    func set(_ items: [ViewerItem]) {
        for page in pages.values { page.close() }
        pages = [:]
        self.items = items
    }

    /// Replaces the items, and keeps the pages of those that remain.
    /// - Returns: The new indices of the pages whose files have changed, which are opened again.
    func update(_ items: [ViewerItem]) -> Set<Int> {
        var kept: [Int: ViewerPage] = [:]
        var changed: Set<Int> = []
        for page in pages.values {
            guard let index = items.firstIndex(of: page.item) else {
                page.close()
                continue
            }
            kept[index] = page
            if page.isOutdated {
                page.reload()
                changed.insert(index)
            }
        }
        (pages, self.items) = (kept, items)
        return changed
    }

    /// The name of the file at `path`, for messages.
    func name(ofPath path: String) -> String { ViewerItem(url: URL(filePath: path)).name }

    subscript(_ index: Int) -> ViewerPage? {
        guard items.indices.contains(index) else { return nil }
        if let page = pages[index] { return page }
        let page = ViewerPage(items[index])
        pages[index] = page
        return page
    }

    /// Opens the page at `index` and its neighbours, and closes all others.
    func keep(around index: Int) {
        for (number, page) in pages where abs(number - index) > 1 {
            page.close()
            pages[number] = nil
        }
        for number in [index, index + 1, index - 1] { self[number]?.open(isShown: number == index) }
    }
}
#endif
