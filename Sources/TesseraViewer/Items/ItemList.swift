#if GTK
internal import Essentials
internal import ImageFormats
internal import ImageViewsGTK

/// The images of the command line or a file dialog, and the index of the first to show.
struct ItemList: Sendable {
    var items: [ViewerItem] = []
    var index = 0
    /// The paths of the folders whose images are all in the list.
    private(set) var folders: [String] = []

    /// The images at `arguments`: files, folders and URLs. For a single file the list has all images in its folder.
    init(_ arguments: [String]) {
        for argument in arguments {
            guard let url = URL(pathOrAddress: argument) else { continue }
            guard url.isFileURL, Self.isFolder(url) else {
                items.append(ViewerItem(url: url))
                continue
            }
            let folder = url.absoluteURL
            folders.append(folder.path(percentEncoded: false))
            items += Self.pictures(in: folder)
        }
        if arguments.count == 1, folders.isEmpty, items.count == 1, let path = items[0].path {
            let folder = items[0].url.absoluteURL.deletingLastPathComponent()
            let siblings = Self.pictures(in: folder)
            folders = [folder.path(percentEncoded: false)]
            guard let index = siblings.firstIndex(where: { $0.path == path || $0.name == items[0].name }) else {
                return
            }
            items = siblings
            self.index = index
        }
    }

    /// The images in a folder, by name, with numbers in numerical order.
    private static func pictures(in folder: URL) -> [ViewerItem] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        return
            files.filter { name in
                !name.hasPrefix(".")
                    && name.split(separator: ".").last.flatMap { ImageFormat(filenameExtension: String($0)) } != nil
            }
            .sorted { naturally($0, $1) }
            .map { ViewerItem(url: folder.appending(path: $0)) }
    }

    /// Whether `a` comes before `b`: `2.jpg` before `10.jpg`.
    private static func naturally(_ a: String, _ b: String) -> Bool {
        func parts(_ name: String) -> [(text: String, number: Int?)] {
            var parts: [(text: String, number: Int?)] = []
            var (text, isNumber) = ("", false)
            func end() { if !text.isEmpty { parts.append((text, isNumber ? Int(text) : nil)) } }
            for character in name.lowercased() {
                let digit = character.isASCII && character.isNumber
                if digit != isNumber {
                    end()
                    (text, isNumber) = ("", digit)
                }
                text.append(character)
            }
            end()
            return parts
        }
        let (left, right) = (parts(a), parts(b))
        for (one, other) in zip(left, right) {
            if let first = one.number, let second = other.number {
                if first != second { return first < second }
            } else if one.text != other.text {
                return one.text < other.text
            }
        }
        return left.count != right.count ? left.count < right.count : a < b
    }

    private static func isFolder(_ url: URL) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isFolder)
            && isFolder
    }
}
#endif
