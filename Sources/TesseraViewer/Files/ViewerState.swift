#if GTK
internal import Essentials
internal import ImageFormats
internal import Platform
internal import Tessera

/// The choices that the viewer remembers from one start to the next, in a file of `$XDG_STATE_HOME` (XDG Base Directory Specification).
///
/// The file has a word for each choice. It is no loss if it can't be read or written.
enum ViewerState {
    /// The order of folders' images.
    static var order: ItemOrder {
        get {
            guard let path, let bytes = try? Source(path: path).bytes(limit: 4096) else { return ItemOrder() }
            let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            return ItemOrder(
                key: words.lazy.compactMap { ItemOrder.Key(rawValue: String($0)) }.first ?? .name,
                isDescending: words.contains("descending"))
        }
        set {
            guard let path, let folder else { return }
            let words = [newValue.key.rawValue] + (newValue.isDescending ? ["descending"] : [])
            makeFolder(folder)
            guard let file = try? AtomicFile(path: path, overwrites: true) else { return }
            try? file.write(Array((words.joined(separator: " ") + "\n").utf8))
            try? file.commit()
        }
    }

    private static var path: String? { folder.map { "\($0)/sort" } }

    private static var folder: String? {
        func value(_ name: String) -> String? {
            getenv(name).map { String(native: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let base = value("XDG_STATE_HOME") ?? value("HOME").map { "\($0)/.local/state" }
        return base.map { "\($0)/tessera-view" }
    }

    private static func makeFolder(_ path: String) {
        guard FileStatus(path: path) == nil else { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { makeFolder(String(path[..<slash])) }
        _ = mkdir(path.native, 0o700)
    }
}
#endif
