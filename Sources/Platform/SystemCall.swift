internal import CTesseraSystem

/// System calls whose names Swift's members would hide, each repeated when a signal interrupts it.
///
/// On failure they return -1, with the reason in `errno`.
package enum SystemCall {
    /// Opens the file at `path`; programs started later don't inherit it.
    package static func open(_ path: String, _ flags: CInt, mode: UInt32 = 0o666) -> CInt {
        uninterrupted { systemOpen(path, flags | O_CLOEXEC, mode_t(mode)) }
    }

    /// Reads at most as many bytes as `buffer` holds; returns 0 only at the end.
    package static func read(_ file: CInt, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        uninterrupted { systemRead(file, buffer.baseAddress, buffer.count) }
    }

    /// Writes some of `bytes` and returns how many.
    package static func write(_ file: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        uninterrupted { systemWrite(file, bytes.baseAddress, bytes.count) }
    }

    /// Renames the file at `path` to `newPath`, replacing a file of that name.
    package static func rename(_ path: String, to newPath: String) -> CInt { systemRename(path, newPath) }

    /// Exchanges two paths in one step; ENOSYS or EINVAL where unsupported, as on POSIX.
    package static func exchange(_ path: String, _ other: String) -> CInt { tessera_exchange(path.native, other.native) }

    private static func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

// Outside the type, whose members of those names would be called instead.
private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { open(path.native, flags, mode) }
private func systemRead(_ file: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, bytes, count)
}
private func systemWrite(_ file: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
private func systemRename(_ path: String, _ newPath: String) -> CInt { rename(path.native, newPath.native) }
