internal import CTesseraSystem

/// Calls of the system whose names Swift's own members would hide, each repeated where a signal interrupted it.
///
/// They fail as the system's do: with -1, and the reason in `errno`.
package enum SystemCall {
    /// Opens the file at `path`; it never passes to programs started later.
    package static func open(_ path: String, _ flags: CInt, mode: UInt32 = 0o666) -> CInt {
        uninterrupted { systemOpen(path, flags | O_CLOEXEC, mode_t(mode)) }
    }

    /// Reads at most as many bytes as `buffer` has room for; 0 only at the end.
    package static func read(_ file: CInt, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        uninterrupted { systemRead(file, buffer.baseAddress, buffer.count) }
    }

    /// Writes some of `bytes` and says how many.
    package static func write(_ file: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        uninterrupted { systemWrite(file, bytes.baseAddress, bytes.count) }
    }

    /// Gives the file at `path` the name `newPath`, in place of a file that has it.
    package static func rename(_ path: String, to newPath: String) -> CInt { systemRename(path, newPath) }

    /// Gives each of two paths what the other had, in one step; ENOSYS or EINVAL where the system can't, as POSIX can't.
    package static func exchange(_ path: String, _ other: String) -> CInt { tessera_exchange(path, other) }

    private static func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

// Outside of the type, whose members would be meant.
private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { open(path, flags, mode) }
private func systemRead(_ file: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, bytes, count)
}
private func systemWrite(_ file: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
private func systemRename(_ path: String, _ newPath: String) -> CInt { rename(path, newPath) }
