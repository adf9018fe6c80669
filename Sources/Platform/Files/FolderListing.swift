/// What is in a folder of the file system.
package enum FolderListing {
    /// One name in a folder, for as long as it is lent.
    package struct Entry: ~Copyable {
        /// The name as a C string, until the next one is looked at.
        package let cName: UnsafePointer<CChar>
        private let folder: CInt
        private let type: Int

        /// Where the name is in what the system says of a file.
        private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!

        fileprivate init(_ entry: UnsafeMutablePointer<dirent>, in folder: CInt) {
            // The name is a C string within the entry, which stays until the next call.
            cName = UnsafePointer((UnsafeRawPointer(entry) + Self.nameOffset).assumingMemoryBound(to: CChar.self))
            self.folder = folder
            type = Int(entry.pointee.d_type)
        }

        /// The name's bytes.
        package var nameBytes: [UInt8] { Array(UnsafeRawBufferPointer(start: cName, count: strlen(cName))) }

        /// The name as text, what isn't UTF-8 replaced.
        package var name: String { String(cString: cName) }

        /// What it is, a link not being followed; nil where the folder doesn't say.
        package var kind: FileStatus.Kind? {
            switch type {
            case Int(DT_REG): .regular
            case Int(DT_DIR): .folder
            case Int(DT_LNK): .link
            case Int(DT_FIFO), Int(DT_SOCK), Int(DT_CHR): .stream
            case Int(DT_UNKNOWN): nil
            default: .other
            }
        }

        /// What the system knows of it, links not followed.
        package func status() -> FileStatus? { FileStatus(cName, in: folder) }
    }

    /// Calls `body` with everything in the folder at `path` but itself and the one around it.
    /// - Returns: False, with the reason in `errno`, where there is no such folder.
    @discardableResult
    package static func forEach(in path: String, _ body: (borrowing Entry) -> Void) -> Bool {
        guard let folder = opendir(path) else { return false }
        walk(folder, dirfd(folder)) { entry in
            body(entry)
            return true
        }
        return true
    }

    /// Calls `body` with everything in the open folder `number` but itself and the one around it, until it says that this is
    /// enough. The folder is closed.
    package static func forEach(inOpen number: CInt, _ body: (borrowing Entry) -> Bool) {
        guard let folder = fdopendir(number) else {
            close(number)
            return
        }
        walk(folder, number, body)
    }

    private static func walk(_ folder: OpaquePointer, _ number: CInt, _ body: (borrowing Entry) -> Bool) {
        defer { closedir(folder) }
        while let next = readdir(folder) {
            let entry = Entry(next, in: number)
            if strcmp(entry.cName, ".") == 0 || strcmp(entry.cName, "..") == 0 { continue }
            if !body(entry) { return }
        }
    }
}
