/// What is in a folder, or was found below it.
package struct FolderContents: Sendable {
    /// Folders: what each is called, and its path from the top. By name, digits by their value.
    package var folders: [(name: String, path: String)] = []
    /// Pictures, in no order.
    package var pictures: [ListedPicture] = []
    /// Whether these are all. Not so where a limit ended the search.
    package var isComplete = true
}
