internal import Platform

/// Something in a folder, by its name; hidden ones and those that can't be in an identifier are left out.
struct FolderEntry {
    let name: String
    /// What it is, a link not being followed; nil where the folder doesn't say.
    let kind: FileStatus.Kind?

    /// That of what is listed; nil where it is left out.
    init?(_ listed: borrowing FolderListing.Entry) {
        guard listed.cName[0] != CChar(bitPattern: UInt8(ascii: ".")),
            let name = String(validatingCString: listed.cName), PictureIdentifier.isPath(name)
        else { return nil }
        self.name = name
        kind = listed.kind
    }
}
