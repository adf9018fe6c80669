internal import Platform

/// What is in a folder of the file system.
enum FolderListing {
    /// Where the name is in what the system says of a file.
    private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!

    /// Calls `body` with the name of everything in the folder at `path`, and with a closure that looks it up, links not
    /// followed. Does nothing where there is no such folder.
    static func forEach(in path: String, _ body: (_ name: [UInt8], _ status: () -> stat?) -> Void) {
        guard let folder = opendir(path) else { return }
        defer { closedir(folder) }
        let number = dirfd(folder)
        while let entry = readdir(folder) {
            // The name is a C string within the entry, which stays until the next call.
            let name = (UnsafeRawPointer(entry) + nameOffset).assumingMemoryBound(to: CChar.self)
            let bytes = Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
            if bytes == [UInt8(ascii: ".")] || bytes == [UInt8(ascii: "."), UInt8(ascii: ".")] { continue }
            body(bytes) {
                var status = stat()
                return fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
            }
        }
    }
}
