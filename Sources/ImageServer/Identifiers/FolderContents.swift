/// The contents of a folder, or the results of a search below it.
package struct FolderContents: Sendable {
    /// Folders with their names and their paths from the top, sorted by name with numbers by value.
    package var folders: [(name: String, path: String)] = []
    /// Unsorted images.
    package var pictures: [ListedPicture] = []
    /// Whether the contents are complete; false if a limit ended the listing or search.
    package var isComplete = true
}
