#if GTK
internal import Platform

/// The order of the images of a list.
struct ItemOrder: Hashable, Sendable {
    /// A property to sort by. The raw values name the menu's items.
    enum Key: String, Sendable {
        /// By name, with numbers in numerical order.
        case name
        /// By the last change, the oldest first.
        case date
        /// By the file's length, the shortest first.
        case size
    }

    var key = Key.name
    var isDescending = false

    /// The items in this order. Items that are equal in it, and those without a file, are in the order of their names.
    func sorted(_ items: [ViewerItem]) -> [ViewerItem] {
        // The file system is asked once for each.
        let keyed = items.map { item in (item, number: number(of: item), name: NaturalName(item.path ?? item.name)) }
        let sorted = keyed.sorted { a, b in
            if a.number != b.number { return isDescending ? a.number > b.number : a.number < b.number }
            return isDescending && key == .name ? b.name < a.name : a.name < b.name
        }
        return sorted.map(\.0)
    }

    private func number(of item: ViewerItem) -> Int64 {
        guard key != .name, let path = item.path, let status = FileStatus(path: path) else { return 0 }
        return key == .date ? status.modificationTime.nanosecondsSince1970 : Int64(status.byteCount)
    }
}

/// A name that is compared as people do: without regard to case, and `2.jpg` before `10.jpg`.
struct NaturalName: Comparable, Sendable {
    private let parts: [(text: String, number: Int?)]
    private let name: String

    init(_ name: String) {
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
        (self.parts, self.name) = (parts, name)
    }

    static func == (a: NaturalName, b: NaturalName) -> Bool { a.name == b.name }

    static func < (a: NaturalName, b: NaturalName) -> Bool {
        for (one, other) in zip(a.parts, b.parts) {
            if let first = one.number, let second = other.number {
                if first != second { return first < second }
            } else if one.text != other.text {
                return one.text < other.text
            }
        }
        return a.parts.count != b.parts.count ? a.parts.count < b.parts.count : a.name < b.name
    }
}
#endif
