/// The entries of a folder.
package enum FolderListing {
    /// One entry, valid for the duration of the call it is passed to.
    package struct Entry: ~Copyable {
        /// The name as a C string, valid until the next entry.
        package let cName: UnsafePointer<CChar>
        private let folder: CInt
        private let type: Int

        /// The name's offset in the system's `dirent`.
        private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!

        fileprivate init(_ entry: UnsafeMutablePointer<dirent>, in folder: CInt) {
            // The name is a C string within the entry, which stays until the next call.
            cName = UnsafePointer((UnsafeRawPointer(entry) + Self.nameOffset).assumingMemoryBound(to: CChar.self))
            self.folder = folder
            type = Int(entry.pointee.d_type)
        }

        /// The name's bytes.
        package var nameBytes: [UInt8] { Array(UnsafeRawBufferPointer(start: cName, count: strlen(cName))) }

        /// The name as text, invalid UTF-8 as `String(native:)` reads it.
        package var name: String { String(native: cName) }

        /// The kind of entry, links not followed; nil where the folder doesn't store it.
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

        /// The entry's status, links not followed.
        package func status() -> FileStatus? { FileStatus(cName, in: folder) }
    }

    /// Calls `body` with each entry of the folder at `path` except "." and "..".
    /// - Returns: False, with the reason in `errno`, if there is no such folder.
    @discardableResult
    package static func forEach(in path: String, _ body: (borrowing Entry) -> Void) -> Bool {
        guard let folder = opendir(path.native) else { return false }
        walk(folder, dirfd(folder)) { entry in
            body(entry)
            return true
        }
        return true
    }

    /// Calls `body` with each entry of the open folder `number` except "." and "..", until it returns false. Closes the
    /// folder.
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
