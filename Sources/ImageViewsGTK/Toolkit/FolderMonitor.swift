#if GTK
internal import CTesseraGTK
internal import Platform

/// Watches a folder for files that appear, change or disappear.
@MainActor
package final class FolderMonitor {
    private let object: GTKObject

    /// Calls `body` after changes in the folder at `path`, while this object exists; nil where the system can't watch it.
    package init?(path: String, _ body: @escaping @MainActor () -> Void) {
        let handler = tessera_handler { _ in
            body()
            return false
        }
        guard let pointer = tessera_watch_folder(path.native, handler) else { return nil }
        object = GTKObject(owning: pointer)
    }
}
#endif
