/// Limits on the work for one listing or search.
package struct FolderLimits: Hashable, Sendable {
    /// The most directory entries to read, of any kind.
    package var entryCount: Int
    /// The most images and folders that a search returns.
    package var resultCount: Int
    /// The most levels of folders below the one that a search starts in.
    package var depth: Int
    /// The time limit.
    package var duration: Duration

    /// 200 000 entries, 10 000 results, 32 levels and two seconds.
    package static let standard = FolderLimits(
        entryCount: 200_000, resultCount: 10_000, depth: 32, duration: .seconds(2))
}
