/// How much of the folders is looked through for one listing.
package struct FolderLimits: Hashable, Sendable {
    /// Entries that are read, whatever they are.
    package var entryCount: Int
    /// Pictures and folders that a search finds.
    package var resultCount: Int
    /// Folders below the one that a search begins in.
    package var depth: Int
    /// How long it takes.
    package var duration: Duration

    /// 200 000 entries, 10 000 results, 32 folders deep, two seconds.
    package static let standard = FolderLimits(
        entryCount: 200_000, resultCount: 10_000, depth: 32, duration: .seconds(2))
}
