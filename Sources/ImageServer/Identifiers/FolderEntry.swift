internal import Platform

/// Something in a folder, by its name; hidden ones and those that can't be in an identifier are left out.
struct FolderEntry {
    let name: String
    /// What it is, a link not being followed; nil where the folder doesn't say.
    let kind: FileStatus.Kind?

    /// Where the name is in what the system says of a file.
    private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!

    /// Calls `body` with everything in the open folder `number`, which is closed, until it says that this is enough.
    static func forEach(in number: CInt, _ body: (FolderEntry?, _ status: () -> FileStatus?) -> Bool) {
        guard let folder = fdopendir(number) else {
            close(number)
            return
        }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            // The name is a C string within the entry, which stays until the next call.
            let name = (UnsafeRawPointer(entry) + nameOffset).assumingMemoryBound(to: CChar.self)
            let goesOn = body(FolderEntry(name, entry.pointee.d_type)) { FileStatus(name, in: number) }
            if !goesOn { return }
        }
    }

    private init?(_ name: UnsafePointer<CChar>, _ type: UInt8) {
        guard name[0] != CChar(bitPattern: UInt8(ascii: ".")), let name = String(validatingCString: name),
            PictureIdentifier.isPath(name)
        else { return nil }
        self.name = name
        kind =
            switch Int(type) {
            case Int(DT_REG): .regular
            case Int(DT_DIR): .folder
            case Int(DT_LNK): .link
            case Int(DT_UNKNOWN): nil
            default: .other
            }
    }
}
