/// An order of pictures.
package struct PictureOrder: Hashable, Sendable {
    /// What decides.
    package enum Key: String, Hashable, Sendable, CaseIterable {
        /// The name, digits by their value, capital and small letters alike.
        case name
        /// When the file was last written.
        case date
        /// How long the file is.
        case size
    }

    package var key: Key
    /// Whether the last one by the key comes first.
    package var isDescending: Bool

    /// An order by `key`.
    package init(_ key: Key, isDescending: Bool = false) {
        self.key = key
        self.isDescending = isDescending
    }

    /// The order that a query's words mean: `name`, `date` or `size`, and `asc` or `desc`; by name, upwards, where they
    /// mean nothing.
    package init(_ key: String?, _ direction: String?) {
        self.init(key.flatMap(Key.init) ?? .name, isDescending: direction == "desc")
    }

    /// Whether `a` comes before `b`. Where the key makes no difference, the name does, and last the identifier's bytes: no
    /// two pictures of a list are equal.
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
