internal import CTesseraSystem

/// Files in memory, or unnamed files on disk where the system has none, for memory that processes share and for
/// mappings.
package enum MemoryFile {
    /// Opens one for reading and writing, which programs started later don't inherit. The caller closes it.
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
