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
}
