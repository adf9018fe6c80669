internal import CTesseraSystem

/// Files in memory where the system has such, on a disk and without a name elsewhere, for what processes share and what is
/// mapped.
package enum MemoryFile {
    /// Opens one for reading and writing, which programs started later don't inherit. The number is the caller's to close.
    package static func open() throws(SystemError) -> CInt {
        let number = tessera_memory_file()
        guard number >= 0 else { throw .last }
        return number
    }

    /// Opens one of `byteCount` bytes, which on Linux nobody can make shorter.
    package static func open(byteCount: Int) throws(SystemError) -> FileDescriptor {
        let file = FileDescriptor(try open(), name: "shared memory", isOwned: true)
        guard tessera_fix_size(file.number, Int64(byteCount)) == 0 else { throw .last }
        return file
    }
}
