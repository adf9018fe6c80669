/// The sort order of a listing's images.
package struct PictureOrder: Hashable, Sendable {
    /// The property to sort by.
    package enum Key: String, Hashable, Sendable, CaseIterable {
        /// The name, with numbers by value, case-insensitive.
        case name
        /// The file's last modification.
        case date
        /// The file's size in bytes.
        case size
    }

    package var key: Key
    /// Whether the order is reversed.
    package var isDescending: Bool

    /// Sorts by `key`, ascending unless told otherwise.
    package init(_ key: Key, isDescending: Bool = false) {
        self.key = key
        self.isDescending = isDescending
    }

    /// Parses `name`, `date` or `size`, and `asc` or `desc`. Missing or unknown words mean by name, ascending.
    package init(_ key: String?, _ direction: String?) {
        self.init(key.flatMap(Key.init) ?? .name, isDescending: direction == "desc")
    }

    /// Whether `a` comes before `b`. Ties are resolved by name, ascending, and then by the identifier's bytes, so no
    /// two images of a listing are equal.
    package func precedes(_ a: ListedPicture, _ b: ListedPicture) -> Bool {
        switch key {
        case .date where a.modificationTime != b.modificationTime:
            return (a.modificationTime < b.modificationTime) != isDescending
        case .size where a.byteCount != b.byteCount:
            return (a.byteCount < b.byteCount) != isDescending
        case .date, .size:
            return Self.precedesByName(a, b)
        case .name:
            return isDescending ? Self.precedesByName(b, a) : Self.precedesByName(a, b)
        }
    }

    private static func precedesByName(_ a: ListedPicture, _ b: ListedPicture) -> Bool {
        guard a.naturalName == b.naturalName else { return a.naturalName < b.naturalName }
        return a.identifier.path.utf8.lexicographicallyPrecedes(b.identifier.path.utf8)
    }
}
